/* nvtx3's C and C++ interfaces, each used once; what they give without a tool.
 * SPDX-License-Identifier: Apache-2.0 */
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>

struct own {
    static constexpr char const *name{"own"};
};

struct text {
    static constexpr char const *message{"text"};
};

struct kind {
    static constexpr char const *name{"kind"};
    static constexpr std::uint32_t id{7};
};

static int ranges_of_c()
{
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.colorType = NVTX_COLOR_ARGB;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = "range";
    nvtxInitialize(nullptr);
    nvtxMark("mark");
    nvtxMarkEx(&attributes);
    nvtxRangeEnd(nvtxRangeStartEx(&attributes));
    nvtxDomainHandle_t domain = nvtxDomainCreate("domain");
    nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &attributes));
    nvtxNameCategory(1, "category");
    nvtxNameOsThread(1, "thread");
    nvtxNameCudaStream(nullptr, "stream");
    nvtxNameCuStream(nullptr, "stream");
    nvtxDomainDestroy(domain);
    return nvtxRangePush("push") == NVTX_NO_PUSH_POP_TRACKING && nvtxRangePushEx(&attributes) < 0 &&
           nvtxRangePop() < 0;
}

static nvtx3::unique_range moved(nvtx3::unique_range range)
{
    return range;
}

static void range_in_function(bool condition)
{
    NVTX3_FUNC_RANGE_IF_IN(own, condition);
}

static int ranges_of_cpp(bool condition)
{
    NVTX3_FUNC_RANGE();
    nvtx3::scoped_range range{"range", nvtx3::rgb{1, 2, 3}, nvtx3::payload{4.0}};
    nvtx3::scoped_range_in<own> other{nvtx3::registered_string_in<own>::get<text>(),
                                      nvtx3::named_category_in<own>::get<kind>()};
    const nvtx3::event_attributes attributes{nvtx3::argb{1, 2, 3, 4}, nvtx3::category{5},
                                             nvtx3::message{"first"}, nvtx3::message{"second"}};
    const nvtxEventAttributes_t *value = attributes.get();
    nvtx3::mark("mark", nvtx3::color{0xff00ff00});
    nvtx3::mark_in<own>(attributes);
    nvtx3::range_handle handle = nvtx3::start_range_in<own>("started");
    nvtx3::end_range_in<own>(handle);
    nvtx3::unique_range ends = moved(nvtx3::unique_range{"unique"});
    range_in_function(condition);
    return value->color == 0x01020304u && value->category == 5 && handle == nvtx3::range_handle{} &&
           std::string(value->message.ascii) == "first" &&
           value->payloadType == NVTX_PAYLOAD_UNKNOWN;
}

int main(int count, char **)
{
    return !ranges_of_c() || !ranges_of_cpp(count > 1);
}
