package dev.seriatim.subscription;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * Addresses that are no place on the public internet, so that a webhook to one of them reaches into
 * somebody's network. From the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC
 * 8190), all that is not "globally reachable"; for IPv6, in addition, all that the IANA IPv6
 * address space leaves outside global unicast, 2000::/3 (RFC 4291).
 */
final class SpecialAddresses {

  private static final List<Cidr> BLOCKS =
      Stream.of(
              "0.0.0.0/8", // "this network", RFC 791
              "10.0.0.0/8", // private use, RFC 1918
              "100.64.0.0/10", // carrier-grade NAT, RFC 6598
              "127.0.0.0/8", // loopback, RFC 1122
              "168.63.129.16", // not in the registry: the platform's own service inside Azure
              "169.254.0.0/16", // link local and cloud metadata, RFC 3927
              "172.16.0.0/12", // private use, RFC 1918
              "192.0.0.0/24", // IETF protocol assignments, RFC 6890
              "192.0.2.0/24", // documentation, RFC 5737
              "192.88.99.0/24", // 6to4 relays, deprecated, RFC 7526
              "192.168.0.0/16", // private use, RFC 1918
              "198.18.0.0/15", // benchmarking, RFC 2544
              "198.51.100.0/24", // documentation, RFC 5737
              "203.0.113.0/24", // documentation, RFC 5737
              "224.0.0.0/4", // multicast, RFC 5771
              "240.0.0.0/4", // class E and limited broadcast, RFC 1112 and RFC 919
              // Unspecified, loopback, IPv4-compatible and IPv4-mapped (RFC 4291), local-use NAT64
              // 64:ff9b:1::/48 (RFC 8215), discard-only 100::/64 (RFC 6666).
              "::/3",
              "2001::/23", // IETF protocol assignments: Teredo (RFC 4380), benchmarking, ORCHID
              "2001:db8::/32", // documentation, RFC 3849
              "2002::/16", // 6to4, RFC 3056
              "3fff::/20", // documentation, RFC 9637
              "4000::/2", // unassigned, with 5f00::/16 for segment routing (RFC 9602)
              // Unassigned, with unique local fc00::/7 (RFC 4193), link local fe80::/10 (RFC 4291),
              // site local fec0::/10 (deprecated, RFC 3879) and multicast ff00::/8 (RFC 4291).
              "8000::/1")
          .map(Cidr::valueOf)
          .toList();

  private SpecialAddresses() {}

  static boolean contain(InetAddress address) {
    return BLOCKS.stream().anyMatch(block -> block.contains(address));
  }
}
