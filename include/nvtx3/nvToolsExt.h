/* nvtx3/nvToolsExt.h: marks and ranges that a program gives to tools which watch it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVTX3_NVTOOLSEXT_H
#define NVTX3_NVTOOLSEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define NVTX_VERSION 3

#if defined(__cplusplus)
extern "C" {
#endif

/* Every mark and range goes through nvtxClemNote() alone, which tells libclem of it, for
 * clem-run --trace. In a program without libclem, and where nothing is recorded, functions give what
 * they give without a tool.
 *
 * Source: NVTX 3.2, the C interface.
 */
#define NVTX_DECLSPEC
#define NVTX_API
#define NVTX_INLINE_STATIC static inline __attribute__((unused))

/* ---- What functions give ---- */

#define NVTX_SUCCESS                              0
#define NVTX_FAIL                                 1
#define NVTX_ERR_INIT_LOAD_PROPERTY               2
#define NVTX_ERR_INIT_ACCESS_LIBRARY              3
#define NVTX_ERR_INIT_LOAD_LIBRARY                4
#define NVTX_ERR_INIT_MISSING_LIBRARY_ENTRY_POINT 5
#define NVTX_ERR_INIT_FAILED_LIBRARY_ENTRY_POINT  6
#define NVTX_ERR_NO_INJECTION_LIBRARY_AVAILABLE   7

/* The level of a push or pop that nobody counted. */
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainHandle *nvtxDomainHandle_t;
typedef struct nvtxStringHandle *nvtxStringHandle_t;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;

/* ---- Attributes ---- */

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;

typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;

typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

/* version and size are NVTX_VERSION and NVTX_EVENT_ATTRIB_STRUCT_SIZE; 0 elsewhere means "none". */
typedef struct nvtxEventAttributes_v2 {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType; /* nvtxColorType_t */
    uint32_t color;
    int32_t payloadType; /* nvtxPayloadType_t */
    int32_t reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType; /* nvtxMessageType_t */
    nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef struct nvtxEventAttributes_v2 nvtxEventAttributes_t;

#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)(sizeof(nvtxEventAttributes_t)))

typedef struct nvtxInitializationAttributes_v2 {
    uint16_t version;
    uint16_t size;
    uint32_t reserved0;
} nvtxInitializationAttributes_v2;
typedef struct nvtxInitializationAttributes_v2 nvtxInitializationAttributes_t;

/* ---- Resources, which tools show by name ---- */

#define NVTX_RESOURCE_MAKE_TYPE(CLASS, INDEX)                                                      \
    ((((uint32_t)(NVTX_RESOURCE_CLASS_##CLASS)) << 16) | ((uint32_t)(INDEX)))
#define NVTX_RESOURCE_CLASS_GENERIC 1

typedef enum nvtxResourceGenericType_t {
    NVTX_RESOURCE_TYPE_UNKNOWN = 0,
    NVTX_RESOURCE_TYPE_GENERIC_POINTER = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 1),
    NVTX_RESOURCE_TYPE_GENERIC_HANDLE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 2),
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 3),
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 4)
} nvtxResourceGenericType_t;

typedef struct nvtxResourceAttributes_v0 {
    uint16_t version;
    uint16_t size;
    int32_t identifierType;
    union identifier_t {
        const void *pValue;
        uint64_t ullValue;
    } identifier;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxResourceAttributes_v0;
typedef struct nvtxResourceAttributes_v0 nvtxResourceAttributes_t;

#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)(sizeof(nvtxResourceAttributes_v0)))

/* ---- The one place ---- */

enum nvtxClemKind { NVTX_CLEM_MARK, NVTX_CLEM_START, NVTX_CLEM_END, NVTX_CLEM_PUSH, NVTX_CLEM_POP };

/* libclem's; NULL in a program that is not linked with it. */
unsigned long long __clemNvtxNote(int kind, const void *domain, int type, const void *message,
                                  unsigned long long range)
    __attribute__((weak, visibility("default")));
const void *__clemNvtxName(int type, const void *message)
    __attribute__((weak, visibility("default")));

/* attributes: NULL for ends and pops. id: of the range that ends, or 0. Gives a started range's
 * number. */
NVTX_INLINE_STATIC nvtxRangeId_t nvtxClemNote(enum nvtxClemKind kind, nvtxDomainHandle_t domain,
                                              const nvtxEventAttributes_t *attributes,
                                              nvtxRangeId_t id)
{
    if (!__clemNvtxNote)
        return 0;
    return __clemNvtxNote((int)kind, domain,
                          attributes ? (int)attributes->messageType : (int)NVTX_MESSAGE_UNKNOWN,
                          attributes ? attributes->message.ascii : NULL, id);
}

NVTX_INLINE_STATIC nvtxRangeId_t nvtxClemNoteText(enum nvtxClemKind kind, int32_t type,
                                                  const void *message)
{
    return __clemNvtxNote ? __clemNvtxNote((int)kind, NULL, type, message, 0) : 0;
}

/* What domains and registered strings are. */
NVTX_INLINE_STATIC void *nvtxClemName(int32_t type, const void *text)
{
    return __clemNvtxName ? (void *)(uintptr_t)__clemNvtxName(type, text) : NULL;
}

/* ---- Functions ---- */

/* nvtxInitialize: loads a tool before the first mark would. */
NVTX_INLINE_STATIC void nvtxInitialize(const void *reserved)
{
    (void)reserved;
}

/* nvtxMark...: an instant. */
NVTX_INLINE_STATIC void nvtxDomainMarkEx(nvtxDomainHandle_t domain,
                                         const nvtxEventAttributes_t *eventAttrib)
{
    nvtxClemNote(NVTX_CLEM_MARK, domain, eventAttrib, 0);
}

NVTX_INLINE_STATIC void nvtxMarkEx(const nvtxEventAttributes_t *eventAttrib)
{
    nvtxClemNote(NVTX_CLEM_MARK, NULL, eventAttrib, 0);
}

NVTX_INLINE_STATIC void nvtxMarkA(const char *message)
{
    nvtxClemNoteText(NVTX_CLEM_MARK, NVTX_MESSAGE_TYPE_ASCII, message);
}

NVTX_INLINE_STATIC void nvtxMarkW(const wchar_t *message)
{
    nvtxClemNoteText(NVTX_CLEM_MARK, NVTX_MESSAGE_TYPE_UNICODE, message);
}

/* nvtxRangeStart..., nvtxRangeEnd: a range that any thread may end, by the number that its start
 * gave; 0 where nothing is recorded. */
NVTX_INLINE_STATIC nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain,
                                                        const nvtxEventAttributes_t *eventAttrib)
{
    return nvtxClemNote(NVTX_CLEM_START, domain, eventAttrib, 0);
}

NVTX_INLINE_STATIC nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *eventAttrib)
{
    return nvtxDomainRangeStartEx(NULL, eventAttrib);
}

NVTX_INLINE_STATIC nvtxRangeId_t nvtxRangeStartA(const char *message)
{
    return nvtxClemNoteText(NVTX_CLEM_START, NVTX_MESSAGE_TYPE_ASCII, message);
}

NVTX_INLINE_STATIC nvtxRangeId_t nvtxRangeStartW(const wchar_t *message)
{
    return nvtxClemNoteText(NVTX_CLEM_START, NVTX_MESSAGE_TYPE_UNICODE, message);
}

NVTX_INLINE_STATIC void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    nvtxClemNote(NVTX_CLEM_END, domain, NULL, id);
}

NVTX_INLINE_STATIC void nvtxRangeEnd(nvtxRangeId_t id)
{
    nvtxClemNote(NVTX_CLEM_END, NULL, NULL, id);
}

/* nvtxRangePush..., nvtxRangePop: ranges of one thread, one within another. They give how deep the
 * range lies, or NVTX_NO_PUSH_POP_TRACKING. */
NVTX_INLINE_STATIC int nvtxDomainRangePushEx(nvtxDomainHandle_t domain,
                                             const nvtxEventAttributes_t *eventAttrib)
{
    nvtxClemNote(NVTX_CLEM_PUSH, domain, eventAttrib, 0);
    return NVTX_NO_PUSH_POP_TRACKING;
}

NVTX_INLINE_STATIC int nvtxRangePushEx(const nvtxEventAttributes_t *eventAttrib)
{
    return nvtxDomainRangePushEx(NULL, eventAttrib);
}

NVTX_INLINE_STATIC int nvtxRangePushA(const char *message)
{
    nvtxClemNoteText(NVTX_CLEM_PUSH, NVTX_MESSAGE_TYPE_ASCII, message);
    return NVTX_NO_PUSH_POP_TRACKING;
}

NVTX_INLINE_STATIC int nvtxRangePushW(const wchar_t *message)
{
    nvtxClemNoteText(NVTX_CLEM_PUSH, NVTX_MESSAGE_TYPE_UNICODE, message);
    return NVTX_NO_PUSH_POP_TRACKING;
}

NVTX_INLINE_STATIC int nvtxDomainRangePop(nvtxDomainHandle_t domain)
{
    nvtxClemNote(NVTX_CLEM_POP, domain, NULL, 0);
    return NVTX_NO_PUSH_POP_TRACKING;
}

NVTX_INLINE_STATIC int nvtxRangePop(void)
{
    return nvtxDomainRangePop(NULL);
}

/* Domains and registered strings are kept where something is recorded. Otherwise they are NULL, which
 * all functions take. Nobody asks for the names of categories, threads and resources. */
NVTX_INLINE_STATIC nvtxDomainHandle_t nvtxDomainCreateA(const char *name)
{
    return (nvtxDomainHandle_t)nvtxClemName(NVTX_MESSAGE_TYPE_ASCII, name);
}

NVTX_INLINE_STATIC nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *name)
{
    return (nvtxDomainHandle_t)nvtxClemName(NVTX_MESSAGE_TYPE_UNICODE, name);
}

NVTX_INLINE_STATIC void nvtxDomainDestroy(nvtxDomainHandle_t domain)
{
    (void)domain;
}

NVTX_INLINE_STATIC nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain,
                                                                const char *string)
{
    (void)domain;
    return (nvtxStringHandle_t)nvtxClemName(NVTX_MESSAGE_TYPE_ASCII, string);
}

NVTX_INLINE_STATIC nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain,
                                                                const wchar_t *string)
{
    (void)domain;
    return (nvtxStringHandle_t)nvtxClemName(NVTX_MESSAGE_TYPE_UNICODE, string);
}

NVTX_INLINE_STATIC void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category,
                                                const char *name)
{
    (void)domain, (void)category, (void)name;
}

NVTX_INLINE_STATIC void nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category,
                                                const wchar_t *name)
{
    (void)domain, (void)category, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCategoryA(uint32_t category, const char *name)
{
    (void)category, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCategoryW(uint32_t category, const wchar_t *name)
{
    (void)category, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameOsThreadA(uint32_t threadId, const char *name)
{
    (void)threadId, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameOsThreadW(uint32_t threadId, const wchar_t *name)
{
    (void)threadId, (void)name;
}

NVTX_INLINE_STATIC nvtxResourceHandle_t nvtxDomainResourceCreate(nvtxDomainHandle_t domain,
                                                                 nvtxResourceAttributes_t *attribs)
{
    (void)domain, (void)attribs;
    return NULL;
}

NVTX_INLINE_STATIC void nvtxDomainResourceDestroy(nvtxResourceHandle_t resource)
{
    (void)resource;
}

/* ---- Names without the kind of their characters ---- */

#if defined(UNICODE)
#define nvtxMark                 nvtxMarkW
#define nvtxRangeStart           nvtxRangeStartW
#define nvtxRangePush            nvtxRangePushW
#define nvtxNameCategory         nvtxNameCategoryW
#define nvtxNameOsThread         nvtxNameOsThreadW
#define nvtxDomainCreate         nvtxDomainCreateW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#define nvtxDomainNameCategory   nvtxDomainNameCategoryW
#else
#define nvtxMark                 nvtxMarkA
#define nvtxRangeStart           nvtxRangeStartA
#define nvtxRangePush            nvtxRangePushA
#define nvtxNameCategory         nvtxNameCategoryA
#define nvtxNameOsThread         nvtxNameOsThreadA
#define nvtxDomainCreate         nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory   nvtxDomainNameCategoryA
#endif

#if defined(__cplusplus)
}
#endif

#endif
