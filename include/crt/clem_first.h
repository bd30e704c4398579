/* What clem's compilers include before a source: a name that programs' own headers have not, so that a
 * cuda_runtime.h of theirs does not come in the place of clem's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../cuda_runtime.h"
