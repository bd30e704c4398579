/* See flags.cu.
 * SPDX-License-Identifier: Apache-2.0 */
#define IN_FOLDER 1
