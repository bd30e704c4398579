/* The environment variables, read once.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_OPTIONS_H
#define OCL_OPTIONS_H

#include <stdbool.h>

/* The rows stand in options.def. */
struct ocl_options {
    const char *device;    /* CLEM_DEVICE: indexes or parts of names; NULL when unset */
    const char *address;   /* CLEM_ADDRESS: a strategy; NULL when unset or not one of them */
    const char *cache_dir; /* CLEM_CACHE_DIR: folder for built programs; NULL when unset */
    const char *ptx;       /* CLEM_PTX: "text" or "binary"; NULL when unset */
    const char *textures;  /* CLEM_TEXTURES: "image" or "hand"; NULL when unset */
    const char *
        ptx_form; /* CLEM_PTX_FORM: "item", "block", "warp", "native", "opencl" or "gpu"; NULL when unset */
    const char *doubles;    /* CLEM_DOUBLE: "soft"; NULL when unset */
    const char *at_once;    /* CLEM_AT_ONCE: a number; NULL when unset */
    const char *compile;    /* CLEM_COMPILE: "here", "apart" or "ahead"; NULL when unset */
    const char *memory;     /* CLEM_MEMORY: bytes, or a number with K, M or G; NULL when unset */
    const char *check;      /* CLEM_CHECK: checks (check.h), with commas between; NULL when unset */
    const char *capability; /* CLEM_COMPUTE_CAPABILITY: "7.5" to "9.0"; NULL when unset */
    const char *dump;       /* CLEM_DUMP: folder for what becomes of PTX; NULL when unset */
    const char
        *host_root; /* CLEM_HOST_ROOT: stands in for "/" where limits are read; NULL when unset */
    const char *visible; /* CUDA_VISIBLE_DEVICES; NULL when unset */
    bool trace;          /* CLEM_TRACE: anything but "" and "0" */
    bool is_silent;      /* CLEM_TRACE: "0" */
    bool shows_calls;    /* CLEM_TRACE: "calls" */
    const char
        *profile; /* CLEM_PROFILE: what clem-run --trace asks for (profile.c); NULL when unset */
    const char
        *check_options; /* CLEM_CHECK_OPTIONS: name=value with colons between; NULL when unset */
    const char *cuda_cache; /* CUDA_CACHE_PATH: in place of ~/.cache/clem, and of PoCL's own folder;
                               NULL when unset */
    bool no_cache;          /* CUDA_CACHE_DISABLE: anything but "" and "0" */
    const char *cache_limit; /* CUDA_CACHE_MAXSIZE: bytes (cache_limit.h); NULL when unset */
};

/* The options, read from the environment at the first call of the process and constant afterwards.
 * Unknown values of known variables and unknown CLEM_* names are reported once on stderr, by name,
 * and ignored. A program with more rights than who started it has none. */
const struct ocl_options *ocl_options_get(void);

/* Reports on stderr that a variable's value is ignored, and why. For values that only their user
 * can judge. */
void ocl_options_refuse(const char *variable, const char *value, const char *why);

#endif
