/* Marks and ranges that a program gives to whoever watches it (NVTX), by clem's header and by NVIDIA's.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>
#include <wchar.h>

#include "facade/calls/calls.h"
#include "include/nvtx3/nvToolsExt.h"

enum { TEXT_BYTES = 512 };

/* ---- Names that stay: domains and registered strings are these ---- */

struct kept {
    struct kept *next;
    char text[];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *names; /* (lock) */

static const char *keep(const char *text)
{
    struct kept *name;
    pthread_mutex_lock(&lock);
    for (name = names; name != NULL && strcmp(name->text, text) != 0;)
        name = name->next;
    if (name == NULL && (name = malloc(sizeof *name + strlen(text) + 1)) != NULL) {
        strcpy(name->text, text);
        name->next = names;
        names = name;
    }
    pthread_mutex_unlock(&lock);
    return name != NULL ? name->text : NULL;
}

/* ---- Texts ---- */

/* As UTF-8; what does not fit is cut. */
static void narrow(const wchar_t *wide, char text[TEXT_BYTES])
{
    size_t length = 0;
    for (; *wide != L'\0' && length < TEXT_BYTES - 5; wide++) {
        const unsigned code = (unsigned)*wide;
        const unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
        text[length++] = (char)(leads[more] | code >> (6 * more));
        for (unsigned i = more; i-- > 0;)
            text[length++] = (char)(0x80 | (code >> (6 * i) & 0x3f));
    }
    text[length] = '\0';
}

/* A message of one of NVTX's kinds; "" where there is none. */
static const char *read_text(int type, const void *message, char text[TEXT_BYTES])
{
    text[0] = '\0';
    if (message == NULL)
        return text;
    if (type == NVTX_MESSAGE_TYPE_UNICODE)
        narrow(message, text);
    return type == NVTX_MESSAGE_TYPE_ASCII || type == NVTX_MESSAGE_TYPE_REGISTERED ? message : text;
}

/* ---- What programs that have clem's header call ---- */

#pragma GCC visibility push(default)
unsigned long long __clemNvtxNote(int kind, const void *domain, int type, const void *message,
                                  unsigned long long range);
const void *__clemNvtxName(int type, const void *message);
int InitializeInjectionNvtx2(const void *(*tables)(uint32_t number));
#pragma GCC visibility pop

const void *__clemNvtxName(int type, const void *message)
{
    char text[TEXT_BYTES];
    return facade_calls_watch() & OCL_PROFILE_RECORDS ? keep(read_text(type, message, text)) : NULL;
}

/* The name of an end is of no interest, and a range is known by its number. */
unsigned long long __clemNvtxNote(int kind, const void *domain, int type, const void *message,
                                  unsigned long long range)
{
    static const enum ocl_spool_range kinds[] = {
        [NVTX_CLEM_MARK] = OCL_SPOOL_MARK, [NVTX_CLEM_START] = OCL_SPOOL_START,
        [NVTX_CLEM_END] = OCL_SPOOL_STOP,  [NVTX_CLEM_PUSH] = OCL_SPOOL_PUSH,
        [NVTX_CLEM_POP] = OCL_SPOOL_POP,
    };
    static _Atomic unsigned long long last_range;
    char text[TEXT_BYTES];
    facade_calls_watch();
    if (!ocl_profile_is_on() || kind < NVTX_CLEM_MARK || kind > NVTX_CLEM_POP)
        return 0;
    if (kind == NVTX_CLEM_START)
        range = atomic_fetch_add(&last_range, 1) + 1;
    const bool is_end = kind == NVTX_CLEM_END || kind == NVTX_CLEM_POP;
    const uint32_t name = is_end ? 0 : ocl_profile_name(read_text(type, message, text));
    const uint64_t words[] = {ocl_profile_clock(), range,
                              domain != NULL ? (uint64_t)ocl_profile_name(domain) << 32 : 0};
    ocl_profile_write(OCL_SPOOL_RANGE, (unsigned)kinds[kind], name, words, 3);
    return kind == NVTX_CLEM_START ? range : 0;
}

/* ---- What NVIDIA's header calls, once it has been given these ---- */

static unsigned long long note(enum nvtxClemKind kind, const void *domain,
                               const nvtxEventAttributes_t *attributes, unsigned long long range)
{
    return attributes != NULL
               ? __clemNvtxNote((int)kind, domain, attributes->messageType,
                                attributes->message.ascii, range)
               : __clemNvtxNote((int)kind, domain, NVTX_MESSAGE_UNKNOWN, NULL, range);
}

static void domain_mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes)
{
    (void)note(NVTX_CLEM_MARK, domain, attributes, 0);
}

static void mark_with(const nvtxEventAttributes_t *attributes)
{
    domain_mark(NULL, attributes);
}

static void mark(const char *message)
{
    (void)__clemNvtxNote(NVTX_CLEM_MARK, NULL, NVTX_MESSAGE_TYPE_ASCII, message, 0);
}

static void mark_wide(const wchar_t *message)
{
    (void)__clemNvtxNote(NVTX_CLEM_MARK, NULL, NVTX_MESSAGE_TYPE_UNICODE, message, 0);
}

static nvtxRangeId_t domain_start(nvtxDomainHandle_t domain,
                                  const nvtxEventAttributes_t *attributes)
{
    return note(NVTX_CLEM_START, domain, attributes, 0);
}

static nvtxRangeId_t start_with(const nvtxEventAttributes_t *attributes)
{
    return domain_start(NULL, attributes);
}

static nvtxRangeId_t start(const char *message)
{
    return __clemNvtxNote(NVTX_CLEM_START, NULL, NVTX_MESSAGE_TYPE_ASCII, message, 0);
}

static nvtxRangeId_t start_wide(const wchar_t *message)
{
    return __clemNvtxNote(NVTX_CLEM_START, NULL, NVTX_MESSAGE_TYPE_UNICODE, message, 0);
}

static void domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t range)
{
    (void)note(NVTX_CLEM_END, domain, NULL, range);
}

static void end(nvtxRangeId_t range)
{
    domain_end(NULL, range);
}

static int domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes)
{
    (void)note(NVTX_CLEM_PUSH, domain, attributes, 0);
    return NVTX_NO_PUSH_POP_TRACKING;
}

static int push_with(const nvtxEventAttributes_t *attributes)
{
    return domain_push(NULL, attributes);
}

static int push(const char *message)
{
    (void)__clemNvtxNote(NVTX_CLEM_PUSH, NULL, NVTX_MESSAGE_TYPE_ASCII, message, 0);
    return NVTX_NO_PUSH_POP_TRACKING;
}

static int push_wide(const wchar_t *message)
{
    (void)__clemNvtxNote(NVTX_CLEM_PUSH, NULL, NVTX_MESSAGE_TYPE_UNICODE, message, 0);
    return NVTX_NO_PUSH_POP_TRACKING;
}

static int domain_pop(nvtxDomainHandle_t domain)
{
    (void)note(NVTX_CLEM_POP, domain, NULL, 0);
    return NVTX_NO_PUSH_POP_TRACKING;
}

static int pop(void)
{
    return domain_pop(NULL);
}

static const void *create_domain(const char *name)
{
    return __clemNvtxName(NVTX_MESSAGE_TYPE_ASCII, name);
}

static const void *create_domain_wide(const wchar_t *name)
{
    return __clemNvtxName(NVTX_MESSAGE_TYPE_UNICODE, name);
}

static const void *register_text(nvtxDomainHandle_t domain, const char *text)
{
    (void)domain;
    return create_domain(text);
}

static const void *register_wide(nvtxDomainHandle_t domain, const wchar_t *text)
{
    (void)domain;
    return create_domain_wide(text);
}

/* Places of functions in NVTX's tables. Source: NVTX 3.1, nvtxDetail/nvtxTypes.h. */
typedef void any_function(void);
struct hook {
    unsigned place;
    any_function *function;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-function-type"
static const struct hook core[] = {
    {1, (any_function *)mark_with}, {2, (any_function *)mark},
    {3, (any_function *)mark_wide}, {4, (any_function *)start_with},
    {5, (any_function *)start},     {6, (any_function *)start_wide},
    {7, (any_function *)end},       {8, (any_function *)push_with},
    {9, (any_function *)push},      {10, (any_function *)push_wide},
    {11, (any_function *)pop},
};
static const struct hook core_of_domains[] = {
    {1, (any_function *)domain_mark},         {2, (any_function *)domain_start},
    {3, (any_function *)domain_end},          {4, (any_function *)domain_push},
    {5, (any_function *)domain_pop},          {10, (any_function *)register_text},
    {11, (any_function *)register_wide},      {12, (any_function *)create_domain},
    {13, (any_function *)create_domain_wide},
};
#pragma GCC diagnostic pop

struct callbacks {
    size_t bytes;
    int (*table)(int module, any_function ***table[1], unsigned *size);
};

static void install(const struct callbacks *callbacks, int module, const struct hook *hooks,
                    size_t count)
{
    any_function ***table = NULL;
    unsigned size = 0;
    if (!callbacks->table(module, &table, &size) || table == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        if (hooks[i].place < size && table[hooks[i].place] != NULL)
            *table[hooks[i].place] = hooks[i].function;
}

/* NVIDIA's header opens the library that NVTX_INJECTION64_PATH names, which clem-run sets, at a program's first mark. */
int InitializeInjectionNvtx2(const void *(*tables)(uint32_t number))
{
    enum { CALLBACKS = 1, CORE = 1, CORE_OF_DOMAINS = 5 };
    const struct callbacks *callbacks = tables != NULL ? tables(CALLBACKS) : NULL;
    if (callbacks == NULL || callbacks->bytes < sizeof *callbacks ||
        !(facade_calls_watch() & OCL_PROFILE_RECORDS))
        return 0;
    install(callbacks, CORE, core, sizeof core / sizeof core[0]);
    install(callbacks, CORE_OF_DOMAINS, core_of_domains,
            sizeof core_of_domains / sizeof core_of_domains[0]);
    return 1;
}
