/* native.h's writer, until native/ has it. */
__attribute__((format(printf, 2, 3))) const char *ptx_native_emit(struct ptx_native *n, const char *format, ...)
{
    const char *name = ptx_format(n->e, "%%v%u", n->values++);
    char words[16384];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    ptx_text_add(n->e->out, "  %s = %s\n", name, words);
    return name;
}
void ptx_native_do(struct ptx_native *n, const char *format, ...)
{
    char words[16384];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    ptx_text_add(n->e->out, "  %s\n", words);
}
struct ptx_native_declared {
    const char *text;
    struct ptx_native_declared *next;
};
void ptx_native_declare(struct ptx_native *n, const char *format, ...)
{
    char words[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    for (const struct ptx_native_declared *d = n->declared; d; d = d->next)
        if (strcmp(d->text, words) == 0)
            return;
    struct ptx_native_declared *made = ptx_arena_take(n->e->arena, sizeof *made);
    made->text = ptx_arena_text(n->e->arena, words, strlen(words));
    made->next = n->declared;
    n->declared = made;
    ptx_text_put(n->declarations, words);
    ptx_text_put(n->declarations, "\n");
}
const char *ptx_native_integer(unsigned bits)
{
    switch (bits) {
    case 1:
        return "i1";
    case 8:
        return "i8";
    case 16:
        return "i16";
    case 32:
        return "i32";
    case 64:
        return "i64";
    default:
        return "i128";
    }
}
const char *ptx_native_type(struct ptx_native *n, const char *element)
{
    return n->is_vector ? ptx_format(n->e, "<32 x %s>", element) : element;
}
const char *ptx_native_suffix(struct ptx_native *n, const char *element)
{
    const char *name = strcmp(element, "float") == 0    ? "f32"
                       : strcmp(element, "double") == 0 ? "f64"
                       : strcmp(element, "half") == 0   ? "f16"
                                                        : element;
    return n->is_vector ? ptx_format(n->e, "v32%s", name) : name;
}
unsigned ptx_native_bits(enum ptx_type type)
{
    return type == PTX_PRED ? 1 : type == PTX_NONE ? 32 : 8 * (unsigned)ptx_type_bytes(type);
}
const char *ptx_native_constant(struct ptx_native *n, unsigned bits, uint64_t value)
{
    char words[2048];
    size_t used = 0;
    if (bits < 64)
        value &= (1ull << bits) - 1;
    const char *text = bits == 1 ? (value ? "true" : "false") : ptx_format(n->e, "%lld", (long long)value);
    if (!n->is_vector)
        return text;
    if (value == 0)
        return "zeroinitializer";
    for (int i = 0; i < 32; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s %s", i ? "," : "<", ptx_native_integer(bits), text);
    return ptx_format(n->e, "%s>", words);
}
struct ptx_native_value ptx_native_spread(struct ptx_native *n, struct ptx_native_value value)
{
    assert_true(value.is_vector == n->is_vector);
    return value;
}
struct ptx_native_value ptx_native_read(struct ptx_native *n, const struct ptx_operand *operand, enum ptx_type type)
{
    const struct lanes_text *t = (const struct lanes_text *)n->flow;
    const unsigned bits = ptx_native_bits(type);
    struct ptx_native_value value = {NULL, (uint8_t)bits, n->is_vector};
    if (operand->kind == PTX_OPERAND_REGISTER) {
        const struct ptx_native_value held = t->registers[operand->index];
        value.text = held.text;
        if (held.bits != bits)
            value.text = ptx_native_emit(n, "%s %s %s to %s", held.bits > bits ? "trunc" : "zext",
                                         ptx_native_type(n, ptx_native_integer(held.bits)), held.text,
                                         ptx_native_type(n, ptx_native_integer(bits)));
    } else {
        value.text = ptx_native_constant(n, bits, (uint64_t)operand->bits);
    }
    if (operand->is_negated && type == PTX_PRED)
        value.text = ptx_native_emit(n, "xor %s %s, %s", ptx_native_type(n, "i1"), value.text, ptx_native_constant(n, 1, 1));
    return value;
}
