// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/zero_copy.h"

#include "machine/text_files.h"
#include "userland/setup_error.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dnsgauge
{

namespace
{

// Numbers of features in VIRTIO 1.2, sections 5.1.3 and 6.
// VIRTIO_NET_F_GUEST_TSO4, TSO6, ECN, UFO
constexpr std::array<std::size_t, 4> merging = {7, 8, 9, 10};
constexpr std::size_t mergeable_buffers = 15; // VIRTIO_NET_F_MRG_RXBUF
constexpr std::size_t platform_access = 33;   // VIRTIO_F_ACCESS_PLATFORM

} // namespace

std::string zero_copy_obstacle(std::string_view driver, std::string_view virtio_features)
{
    const auto has = [virtio_features](std::size_t feature) {
        return feature < virtio_features.size() && virtio_features[feature] == '1';
    };
    if (driver != "virtio_net" || virtio_features.empty())
        return {};
    if (!has(platform_access))
        return "this device lacks VIRTIO_F_ACCESS_PLATFORM "
               "(QEMU: virtio-net-pci,iommu_platform=on,disable-legacy=on)";
    if (!has(mergeable_buffers) && std::ranges::any_of(merging, has))
        return "this device merges packets that it receives, and lacks VIRTIO_NET_F_MRG_RXBUF "
               "(QEMU: virtio-net-pci,mrg_rxbuf=on)";
    return {};
}

std::string zero_copy_obstacle(const Interface &interface, const std::filesystem::path &root)
{
    return zero_copy_obstacle(
        interface.driver, first_line(root / "sys/class/net" / interface.name / "device/features"));
}

void refuse_obstacle_to_zero_copy(const Interface &interface)
{
    const std::string obstacle = zero_copy_obstacle(interface, "/");
    if (!obstacle.empty())
        throw SetupError("{} cannot have --af-xdp zero-copy: its driver has it, but {}: "
                         "mend that, or leave --af-xdp at auto",
                         interface.name, obstacle);
}

} // namespace dnsgauge
