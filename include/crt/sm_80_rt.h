/* crt/sm_80_rt.h: sm_80_rt.h by the name that it has since CUDA 10. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_SM_80_RT_H
#define CLEM_CRT_SM_80_RT_H

#include "../sm_80_rt.h"

#endif
