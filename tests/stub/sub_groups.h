/* Sub-groups of a size that the device below does not have, as OpenCL C that goes before a text.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_TESTS_STUB_SUB_GROUPS_H
#define CLEM_TESTS_STUB_SUB_GROUPS_H

#include <stdbool.h>

/* Whether the text asks for sub-groups. */
bool clem_stub_has_sub_groups(const char *text);

/* The text with its functions of sub-groups of so many work-items. Owns: the caller frees it. NULL without memory, or where the
 * processor is not known. */
char *clem_stub_add_sub_groups(const char *text, unsigned items);

#endif
