/* Tests of facade/code/fatbin.c and fatbin_text.c: choosing among entries, the three ways of packing,
 * and sizes that lie.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/fatbin.h"

#include <dirent.h>
#include <lz4.h>
#include <sys/resource.h>
#include <zstd.h>

#include "cl/sanitized.h"
#include "tests/facade/fatbins.h"
#include "tests/test.h"

static struct facade_fatbin_contents contents_of(const void *code, size_t bytes)
{
    struct facade_fatbin_contents contents;
    assert_true(facade_fatbin_read(code, bytes, FACADE_FATBIN_REPORTED, &contents));
    return contents;
}

/* A copy of its own size, so that a sanitizer sees a byte read behind it. */
static bool is_readable(const void *code, size_t bytes)
{
    struct facade_fatbin_contents contents;
    unsigned char *copy = malloc(bytes > 0 ? bytes : 1);
    assert_non_null(copy);
    memcpy(copy, code, bytes);
    bool is = facade_fatbin_read(copy, bytes, FACADE_FATBIN_REPORTED, &contents);
    if (is && contents.ptx_count > 0) {
        size_t text_bytes = 0;
        free(facade_fatbin_text(&contents.best, &text_bytes));
    }
    free(copy);
    return is;
}

static void assert_best_for(unsigned reported, const unsigned *capabilities, size_t count,
                            unsigned expected)
{
    struct fatbin fatbin;
    fatbin_begin(&fatbin);
    for (size_t i = 0; i < count; i++)
        fatbin_add_text(&fatbin, capabilities[i], ".version 8.0\n");
    fatbin_add(&fatbin, FATBIN_MACHINE_CODE, 75, FATBIN_PLAIN, "ELF", 3, 0);
    struct facade_fatbin_contents contents;
    assert_true(facade_fatbin_read(fatbin.bytes, fatbin.size, reported, &contents));
    assert_int_equal(contents.ptx_count, count);
    assert_int_equal(contents.machine_code_count, 1);
    if (count > 0)
        assert_int_equal(contents.best.capability, expected);
}

static void assert_best(const unsigned *capabilities, size_t count, unsigned expected)
{
    assert_best_for(FACADE_FATBIN_REPORTED, capabilities, count, expected);
}

TEST_BODY(fatbin_gives_the_ptx_nearest_to_what_devices_report)
{
    assert_best_for(80, (const unsigned[]){75, 80, 90}, 3, 80);
    assert_best_for(90, (const unsigned[]){75, 80, 86}, 3, 86);
    assert_best_for(86, (const unsigned[]){90, 100}, 2, 90);
    assert_best((const unsigned[]){52, 75, 90}, 3, 75);
    assert_best((const unsigned[]){90, 70, 52, 80}, 4, 70);
    assert_best((const unsigned[]){100, 80, 90}, 3, 80);
    assert_best((const unsigned[]){30}, 1, 30);
    assert_best(NULL, 0, 0);
}

TEST_BODY(fatbin_unpacks_what_compilers_wrote)
{
    static const char *const names[] = {"plain", "lz4", "zstd"};
    char *texts[3];
    for (int i = 0; i < 3; i++) {
        char path[512], code[4096];
        snprintf(path, sizeof path, "%s/scale_%s.fatbin", TEST_DATA, names[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t bytes = fread(code, 1, sizeof code, file), text_bytes = 0;
        fclose(file);
        struct facade_fatbin_contents contents = contents_of(code, bytes);
        assert_int_equal(facade_fatbin_bytes(code), bytes);
        assert_int_equal(contents.ptx_count, 1);
        assert_int_equal(contents.best.capability, 75);
        assert_int_equal(contents.best.is_lz4, i == 1);
        assert_int_equal(contents.best.is_zstd, i == 2);
        texts[i] = facade_fatbin_text(&contents.best, &text_bytes);
        assert_non_null(texts[i]);
        assert_int_equal(text_bytes, strlen(texts[i]));
        assert_non_null(strstr(texts[i], ".visible .entry scale("));
        assert_string_equal(texts[i], texts[0]);
    }
    for (int i = 0; i < 3; i++)
        free(texts[i]);
}

/* What sizes say is believed no further than bytes come. */
TEST_BODY(fatbin_of_forged_sizes_takes_no_memory)
{
    static const size_t claimed = (size_t)200 << 20;
    /* AddressSanitizer keeps a byte of its own for eight of what is asked for. */
    static const long most_kib = (16 << 10) + (OCL_IS_SANITIZED ? (200 << 10) / 8 : 0);
    struct rusage usage;
    char packed[256], input[16] = "text";
    size_t bytes = 1;
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_outBuffer to = {packed, sizeof packed, 0};
    ZSTD_inBuffer from = {input, sizeof input, 0};
    assert_false(ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, claimed)));
    assert_false(ZSTD_isError(ZSTD_compressStream2(context, &to, &from, ZSTD_e_flush)));
    ZSTD_freeCCtx(context);
    const struct facade_fatbin_entry entry = {.payload = (const unsigned char *)packed,
                                              .payload_bytes = to.pos,
                                              .plain_bytes = claimed,
                                              .is_zstd = true};
    getrusage(RUSAGE_SELF, &usage);
    const long before = usage.ru_maxrss;
    assert_null(facade_fatbin_text(&entry, &bytes));
    assert_int_equal(bytes, 0);
    getrusage(RUSAGE_SELF, &usage);
    assert_true(usage.ru_maxrss < before + most_kib);
}

TEST_BODY(fatbin_reads_containers_side_by_side)
{
    struct fatbin first, second;
    unsigned char all[sizeof first.bytes * 2 + 32] = {0};
    fatbin_of_machine_code(&first);
    fatbin_begin(&second);
    fatbin_add_text(&second, 75, "text");
    memcpy(all, first.bytes, first.size);
    memcpy(all + first.size + 8, second.bytes, second.size);
    struct facade_fatbin_contents contents = contents_of(all, first.size + 8 + second.size + 16);
    assert_int_equal(contents.ptx_count, 1);
    assert_int_equal(contents.machine_code_count, 1);
    assert_memory_equal(contents.best.payload, "text", 4);
    /* By its own header the first is alone, as in memory. */
    assert_int_equal(facade_fatbin_bytes(all), first.size);
    assert_int_equal(contents_of(all, facade_fatbin_bytes(all)).ptx_count, 0);
    all[first.size + 3] = 'x';
    assert_false(is_readable(all, first.size + 8 + second.size));
}

TEST_BODY(fatbin_refuses_every_cut)
{
    struct fatbin fatbin;
    fatbin_begin(&fatbin);
    fatbin_add_text(&fatbin, 75, "some text");
    fatbin_add(&fatbin, FATBIN_MACHINE_CODE, 75, FATBIN_PLAIN, "ELF", 3, 0);
    for (size_t bytes = 0; bytes < fatbin.size; bytes++)
        assert_false(is_readable(fatbin.bytes, bytes));
    assert_true(is_readable(fatbin.bytes, fatbin.size));
}

TEST_BODY(fatbin_refuses_sizes_that_lie)
{
    static const struct {
        size_t place;
        unsigned width;
        uint64_t value;
    } lies[] = {
        {0, 4, 0xba55ed51u},
        {6, 2, 0},
        {6, 2, 15},
        {6, 2, 0xffff},
        {8, 8, UINT64_MAX},
        {8, 8, (uint64_t)1 << 63},
        {8, 8, 4000},
        {16 + 4, 4, 0},
        {16 + 4, 4, 63},
        {16 + 4, 4, 0xffffffffu},
        {16 + 8, 8, UINT64_MAX},
        {16 + 8, 8, UINT64_MAX - 63},
        {16 + 8, 8, 1000},
        {16 + 0x10, 4, 0xffffffffu},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct fatbin fatbin;
        fatbin_begin(&fatbin);
        fatbin_add_text(&fatbin, 75, "some text");
        assert_true(is_readable(fatbin.bytes, fatbin.size));
        fatbin_put(&fatbin, lies[i].place, lies[i].value, lies[i].width);
        assert_false(is_readable(fatbin.bytes, fatbin.size));
    }
}

/* --- packed payloads -------------------------------------------------------------------------- */

static char *text_of(const struct fatbin *fatbin, size_t *bytes)
{
    struct facade_fatbin_contents contents = contents_of(fatbin->bytes, fatbin->size);
    assert_int_equal(contents.ptx_count, 1);
    return facade_fatbin_text(&contents.best, bytes);
}

/* Packs a text; the size that the header claims differs from the true one by `wrong`. */
static void make_packed(struct fatbin *fatbin, const char *text, unsigned flags, size_t wrong)
{
    char packed[1024];
    size_t bytes = strlen(text);
    size_t packed_bytes =
        flags == FATBIN_LZ4 ? (size_t)LZ4_compress_default(text, packed, (int)bytes, sizeof packed)
                            : ZSTD_compress(packed, sizeof packed, text, bytes, 3);
    fatbin_begin(fatbin);
    fatbin_add(fatbin, FATBIN_PTX, 75, flags, packed, packed_bytes, bytes + wrong);
}

TEST_BODY(fatbin_refuses_damaged_payloads)
{
    static const char text[] = ".version 8.0 .version 8.0 .version 8.0 .version 8.0 .version 8.0";
    static const unsigned flags[] = {FATBIN_LZ4, FATBIN_ZSTD};
    static const size_t wrong[] = {1,          (size_t)-1, SIZE_MAX / 2,
                                   0x7fffffff, 0x40000000, (size_t)0 - (sizeof text - 1)};
    for (int i = 0; i < 2; i++) {
        struct fatbin fatbin;
        size_t bytes = 7;
        make_packed(&fatbin, text, flags[i], 0);
        char *unpacked = text_of(&fatbin, &bytes);
        assert_non_null(unpacked);
        assert_string_equal(unpacked, text);
        assert_int_equal(bytes, strlen(text));
        free(unpacked);
        for (size_t k = 0; k + 1 < sizeof wrong / sizeof wrong[0]; k++) {
            make_packed(&fatbin, text, flags[i], wrong[k]);
            assert_null(text_of(&fatbin, &bytes));
            assert_int_equal(bytes, 0);
        }
        make_packed(&fatbin, text, flags[i], 0);
        memset(fatbin.bytes + FATBIN_HEADER + FATBIN_ENTRY_HEADER, 0xff, 8);
        assert_null(text_of(&fatbin, &bytes));
    }
}

/* A text ends at its first zero byte; one without any ends with its payload. */
TEST_BODY(fatbin_text_ends_with_its_payload)
{
    struct fatbin fatbin;
    size_t bytes = 0;
    fatbin_begin(&fatbin);
    size_t entry = fatbin_add(&fatbin, FATBIN_PTX, 75, FATBIN_PLAIN, "abcdefg", 7, 0);
    char *text = text_of(&fatbin, &bytes);
    assert_string_equal(text, "abcdefg");
    free(text);
    fatbin.bytes[entry + FATBIN_ENTRY_HEADER + 7] = 'h';
    text = text_of(&fatbin, &bytes);
    assert_int_equal(bytes, 8);
    assert_memory_equal(text, "abcdefgh", 9);
    free(text);
}

/* What fuzzing kept: none may be more than refused. */
TEST_BODY(fatbin_corpus_does_no_harm)
{
    size_t count = 0;
    DIR *folder = opendir(TEST_CORPUS "/fatbin");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[1024], code[8192];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/fatbin/%s", TEST_CORPUS, entry->d_name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        (void)is_readable(code, fread(code, 1, sizeof code, file));
        fclose(file);
        count++;
    }
    closedir(folder);
    assert_true(count >= 8);
}
