/* crt/sm_70_rt.h: sm_70_rt.h by the name that it has since CUDA 10. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_SM_70_RT_H
#define CLEM_CRT_SM_70_RT_H

#include "../sm_70_rt.h"

#endif
