/* nvtx3/nvtx3.hpp: marks and ranges of nvToolsExt.h as C++ objects. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVTX3_NVTX3_HPP
#define NVTX3_NVTX3_HPP

#include "nvToolsExt.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

/* Source: NVTX 3.2, the C++ interface, version 1. It wants C++11. */
#define NVTX3_CPP_VERSION_MAJOR 1
#define NVTX3_CPP_VERSION_MINOR 0

namespace nvtx3
{
inline namespace v1
{

/* ---- Domains: a type D with `static constexpr char const *name` is one ---- */

class domain
{
  public:
    domain(domain const &) = delete;
    domain &operator=(domain const &) = delete;

    /* The domain without a name. */
    struct global {
    };

    /* The one of a type; made at its first use, and never destroyed. */
    template <typename D = global> static domain const &get() noexcept
    {
        static domain const *const only = new domain(create<D>(0));
        return *only;
    }

    operator nvtxDomainHandle_t() const noexcept
    {
        return handle_;
    }

  private:
    explicit domain(nvtxDomainHandle_t handle) noexcept : handle_(handle)
    {
    }

    template <typename D>
    static auto create(int) noexcept -> decltype(D::name, nvtxDomainHandle_t())
    {
        return create_named(D::name);
    }
    template <typename D> static nvtxDomainHandle_t create(long) noexcept
    {
        static_assert(std::is_same<D, global>::value, "a domain has a member `name`");
        return nullptr;
    }
    static nvtxDomainHandle_t create_named(char const *name) noexcept
    {
        return nvtxDomainCreateA(name);
    }
    static nvtxDomainHandle_t create_named(wchar_t const *name) noexcept
    {
        return nvtxDomainCreateW(name);
    }

    nvtxDomainHandle_t const handle_;
};

/* ---- Attributes ---- */

struct rgb {
    using component_type = std::uint8_t;
    constexpr rgb(component_type red_, component_type green_, component_type blue_) noexcept
        : red(red_), green(green_), blue(blue_)
    {
    }
    component_type red, green, blue;
};

struct argb : rgb {
    constexpr argb(component_type alpha_, component_type red_, component_type green_,
                   component_type blue_) noexcept
        : rgb(red_, green_, blue_), alpha(alpha_)
    {
    }
    component_type alpha;
};

class color
{
  public:
    using value_type = std::uint32_t;

    constexpr explicit color(value_type code) noexcept : value_(code)
    {
    }
    constexpr color(argb parts) noexcept
        : value_(pack(parts.alpha, parts.red, parts.green, parts.blue))
    {
    }
    constexpr color(rgb parts) noexcept : value_(pack(0xff, parts.red, parts.green, parts.blue))
    {
    }
    constexpr value_type get_value() const noexcept
    {
        return value_;
    }
    constexpr nvtxColorType_t get_type() const noexcept
    {
        return NVTX_COLOR_ARGB;
    }

  private:
    static constexpr value_type pack(value_type a, value_type r, value_type g,
                                     value_type b) noexcept
    {
        return a << 24 | r << 16 | g << 8 | b;
    }

    value_type value_;
};

class category
{
  public:
    using id_type = std::uint32_t;

    constexpr explicit category(id_type id) noexcept : id_(id)
    {
    }
    constexpr id_type get_id() const noexcept
    {
        return id_;
    }

  private:
    id_type id_;
};

/* A category with a name, which C::id and C::name may give. */
template <typename D = domain::global> class named_category_in final : public category
{
  public:
    template <typename C> static named_category_in const &get() noexcept
    {
        static named_category_in const only(C::id, C::name);
        return only;
    }
    named_category_in(id_type id, char const *name) noexcept : category(id)
    {
        nvtxDomainNameCategoryA(domain::get<D>(), id, name);
    }
    named_category_in(id_type id, wchar_t const *name) noexcept : category(id)
    {
        nvtxDomainNameCategoryW(domain::get<D>(), id, name);
    }
};
using named_category = named_category_in<domain::global>;

/* A text that is handed over once. */
template <typename D = domain::global> class registered_string_in
{
  public:
    template <typename M> static registered_string_in const &get() noexcept
    {
        static registered_string_in const only(M::message);
        return only;
    }
    explicit registered_string_in(char const *text) noexcept
        : handle_(nvtxDomainRegisterStringA(domain::get<D>(), text))
    {
    }
    explicit registered_string_in(wchar_t const *text) noexcept
        : handle_(nvtxDomainRegisterStringW(domain::get<D>(), text))
    {
    }
    explicit registered_string_in(std::string const &text) noexcept
        : registered_string_in(text.c_str())
    {
    }
    explicit registered_string_in(std::wstring const &text) noexcept
        : registered_string_in(text.c_str())
    {
    }
    nvtxStringHandle_t get_handle() const noexcept
    {
        return handle_;
    }

  private:
    nvtxStringHandle_t handle_;
};
using registered_string = registered_string_in<domain::global>;

/* Borrows the text. */
class message
{
  public:
    using value_type = nvtxMessageValue_t;

    constexpr message(char const *text) noexcept : type_(NVTX_MESSAGE_TYPE_ASCII), value_{text}
    {
    }
    message(std::string const &text) noexcept : message(text.c_str())
    {
    }
    message(std::string &&) = delete;
    message(wchar_t const *text) noexcept : type_(NVTX_MESSAGE_TYPE_UNICODE), value_{nullptr}
    {
        value_.unicode = text;
    }
    message(std::wstring const &text) noexcept : message(text.c_str())
    {
    }
    message(std::wstring &&) = delete;
    template <typename D>
    message(registered_string_in<D> const &text) noexcept
        : type_(NVTX_MESSAGE_TYPE_REGISTERED), value_{nullptr}
    {
        value_.registered = text.get_handle();
    }
    constexpr message(nvtxMessageType_t type, value_type value) noexcept
        : type_(type), value_(value)
    {
    }
    constexpr value_type get_value() const noexcept
    {
        return value_;
    }
    constexpr nvtxMessageType_t get_type() const noexcept
    {
        return type_;
    }

  private:
    nvtxMessageType_t type_;
    value_type value_;
};

class payload
{
  public:
    using value_type = typename nvtxEventAttributes_v2::payload_t;

    explicit payload(std::int64_t value) noexcept : type_(NVTX_PAYLOAD_TYPE_INT64), value_()
    {
        value_.llValue = value;
    }
    explicit payload(std::int32_t value) noexcept : type_(NVTX_PAYLOAD_TYPE_INT32), value_()
    {
        value_.iValue = value;
    }
    explicit payload(std::uint64_t value) noexcept
        : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64), value_()
    {
        value_.ullValue = value;
    }
    explicit payload(std::uint32_t value) noexcept
        : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT32), value_()
    {
        value_.uiValue = value;
    }
    explicit payload(float value) noexcept : type_(NVTX_PAYLOAD_TYPE_FLOAT), value_()
    {
        value_.fValue = value;
    }
    explicit payload(double value) noexcept : type_(NVTX_PAYLOAD_TYPE_DOUBLE), value_()
    {
        value_.dValue = value;
    }
    payload(nvtxPayloadType_t type, value_type value) noexcept : type_(type), value_(value)
    {
    }
    value_type get_value() const noexcept
    {
        return value_;
    }
    nvtxPayloadType_t get_type() const noexcept
    {
        return type_;
    }

  private:
    nvtxPayloadType_t type_;
    value_type value_;
};

/* Any of message, color, category and payload, in any order; the first of a kind counts. */
class event_attributes
{
  public:
    using value_type = nvtxEventAttributes_t;

    event_attributes() noexcept : value_()
    {
        value_.version = NVTX_VERSION;
        value_.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    }
    template <typename... Args>
    explicit event_attributes(category const &first, Args const &...rest) noexcept
        : event_attributes(rest...)
    {
        value_.category = first.get_id();
    }
    template <typename... Args>
    explicit event_attributes(color const &first, Args const &...rest) noexcept
        : event_attributes(rest...)
    {
        value_.colorType = first.get_type();
        value_.color = first.get_value();
    }
    template <typename... Args>
    explicit event_attributes(rgb const &first, Args const &...rest) noexcept
        : event_attributes(color(first), rest...)
    {
    }
    template <typename... Args>
    explicit event_attributes(argb const &first, Args const &...rest) noexcept
        : event_attributes(color(first), rest...)
    {
    }
    template <typename... Args>
    explicit event_attributes(payload const &first, Args const &...rest) noexcept
        : event_attributes(rest...)
    {
        value_.payloadType = first.get_type();
        value_.payload = first.get_value();
    }
    template <typename... Args>
    explicit event_attributes(message const &first, Args const &...rest) noexcept
        : event_attributes(rest...)
    {
        value_.messageType = first.get_type();
        value_.message = first.get_value();
    }
    value_type const *get() const noexcept
    {
        return &value_;
    }

  private:
    value_type value_;
};

/* ---- Ranges ---- */

/* From its beginning to the end of its scope, which are one thread's. */
template <typename D = domain::global> class scoped_range_in
{
  public:
    explicit scoped_range_in(event_attributes const &attributes) noexcept
    {
        nvtxDomainRangePushEx(domain::get<D>(), attributes.get());
    }
    template <typename... Args>
    explicit scoped_range_in(Args const &...args) noexcept
        : scoped_range_in(event_attributes(args...))
    {
    }
    scoped_range_in() noexcept : scoped_range_in(event_attributes())
    {
    }
    void *operator new(std::size_t) = delete;
    scoped_range_in(scoped_range_in const &) = delete;
    scoped_range_in &operator=(scoped_range_in const &) = delete;
    ~scoped_range_in() noexcept
    {
        nvtxDomainRangePop(domain::get<D>());
    }
};
using scoped_range = scoped_range_in<domain::global>;

/* What names a range that was started; null_range_id names none. */
struct range_handle {
    using value_type = nvtxRangeId_t;

    constexpr explicit range_handle(value_type id) noexcept : id_(id)
    {
    }
    constexpr range_handle() noexcept : id_(0)
    {
    }
    constexpr range_handle(std::nullptr_t) noexcept : id_(0)
    {
    }
    constexpr explicit operator bool() const noexcept
    {
        return id_ != 0;
    }
    constexpr value_type get_value() const noexcept
    {
        return id_;
    }

  private:
    value_type id_;
};

constexpr bool operator==(range_handle a, range_handle b) noexcept
{
    return a.get_value() == b.get_value();
}

constexpr bool operator!=(range_handle a, range_handle b) noexcept
{
    return !(a == b);
}

template <typename D = domain::global>
range_handle start_range_in(event_attributes const &attributes) noexcept
{
    return range_handle(nvtxDomainRangeStartEx(domain::get<D>(), attributes.get()));
}

template <typename D = domain::global, typename... Args>
range_handle start_range_in(Args const &...args) noexcept
{
    return start_range_in<D>(event_attributes(args...));
}

template <typename... Args> range_handle start_range(Args const &...args) noexcept
{
    return start_range_in<domain::global>(args...);
}

template <typename D = domain::global> void end_range_in(range_handle range) noexcept
{
    nvtxDomainRangeEnd(domain::get<D>(), range.get_value());
}

inline void end_range(range_handle range) noexcept
{
    end_range_in<domain::global>(range);
}

/* A started range that ends with its owner, on whatever thread. */
template <typename D = domain::global> class unique_range_in
{
  public:
    explicit unique_range_in(event_attributes const &attributes) noexcept
        : handle_(start_range_in<D>(attributes)), is_owner_(true)
    {
    }
    template <typename... Args>
    explicit unique_range_in(Args const &...args) noexcept
        : unique_range_in(event_attributes(args...))
    {
    }
    unique_range_in() noexcept : unique_range_in(event_attributes())
    {
    }
    unique_range_in(unique_range_in &&other) noexcept
        : handle_(other.handle_), is_owner_(other.is_owner_)
    {
        other.is_owner_ = false;
    }
    unique_range_in &operator=(unique_range_in &&other) noexcept
    {
        std::swap(handle_, other.handle_);
        std::swap(is_owner_, other.is_owner_);
        return *this;
    }
    unique_range_in(unique_range_in const &) = delete;
    unique_range_in &operator=(unique_range_in const &) = delete;
    ~unique_range_in() noexcept
    {
        if (is_owner_)
            end_range_in<D>(handle_);
    }

  private:
    range_handle handle_;
    bool is_owner_;
};
using unique_range = unique_range_in<domain::global>;

/* ---- Marks ---- */

template <typename D = domain::global> void mark_in(event_attributes const &attributes) noexcept
{
    nvtxDomainMarkEx(domain::get<D>(), attributes.get());
}

template <typename D = domain::global, typename... Args> void mark_in(Args const &...args) noexcept
{
    mark_in<D>(event_attributes(args...));
}

template <typename... Args> void mark(Args const &...args) noexcept
{
    mark_in<domain::global>(args...);
}

} // namespace v1
} // namespace nvtx3

/* The function that they stand in, as a range with its name. */
#define NVTX3_V1_FUNC_RANGE_IN(D)                                                                  \
    static ::nvtx3::v1::registered_string_in<D> const nvtx3_func_name__{__func__};                 \
    static ::nvtx3::v1::event_attributes const nvtx3_func_attr__{                                  \
        ::nvtx3::v1::message(nvtx3_func_name__)};                                                  \
    ::nvtx3::v1::scoped_range_in<D> const nvtx3_range__                                            \
    {                                                                                              \
        nvtx3_func_attr__                                                                          \
    }
#define NVTX3_V1_FUNC_RANGE_IF_IN(D, condition)                                                    \
    static ::nvtx3::v1::registered_string_in<D> const nvtx3_func_name__{__func__};                 \
    static ::nvtx3::v1::event_attributes const nvtx3_func_attr__{                                  \
        ::nvtx3::v1::message(nvtx3_func_name__)};                                                  \
    std::unique_ptr<::nvtx3::v1::unique_range_in<D>> const nvtx3_range__                           \
    {                                                                                              \
        (condition) ? new ::nvtx3::v1::unique_range_in<D>(nvtx3_func_attr__) : nullptr             \
    }
#define NVTX3_V1_FUNC_RANGE()        NVTX3_V1_FUNC_RANGE_IN(::nvtx3::v1::domain::global)
#define NVTX3_V1_FUNC_RANGE_IF(C)    NVTX3_V1_FUNC_RANGE_IF_IN(::nvtx3::v1::domain::global, C)
#define NVTX3_FUNC_RANGE()           NVTX3_V1_FUNC_RANGE()
#define NVTX3_FUNC_RANGE_IF(C)       NVTX3_V1_FUNC_RANGE_IF(C)
#define NVTX3_FUNC_RANGE_IN(D)       NVTX3_V1_FUNC_RANGE_IN(D)
#define NVTX3_FUNC_RANGE_IF_IN(D, C) NVTX3_V1_FUNC_RANGE_IF_IN(D, C)

#endif
