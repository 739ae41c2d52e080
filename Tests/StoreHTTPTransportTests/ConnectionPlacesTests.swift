import CStoreHTTPD
import Glibc
import Testing

@testable import StoreHTTPTransport

@Suite struct ConnectionPlacesTests {
    private func block(_ text: String) -> ClientAddress {
        IPAddress(text).map { .internet($0) } ?? .unknown
    }

    private func fill(
        _ places: inout ConnectionPlaces,
        _ address: ClientAddress
    ) -> (count: Int, TransportFailure?) {
        var count = 0
        while places.refusal(of: address) == nil {
            places.takePlace(for: address)
            count += 1
        }
        return (count, places.refusal(of: address))
    }

    @Test func `an address has its bound, and others have the rest`() {
        var places = ConnectionPlaces(placesMax: 256, perAddressMax: 64)
        #expect(fill(&places, block("192.0.2.1")) == (64, .connectionLimitPerAddress(64)))
        #expect(fill(&places, block("192.0.2.2")).count == 64)
        places.giveBackPlace(of: block("192.0.2.1"))
        #expect(places.refusal(of: block("192.0.2.1")) == nil)
    }

    @Test func `an IPv6 network of 64 bits is one address`() {
        var places = ConnectionPlaces(placesMax: 256, perAddressMax: 8)
        #expect(fill(&places, block("2001:db8::1")).count == 8)
        #expect(places.refusal(of: block("2001:db8::ffff:2")) == .connectionLimitPerAddress(8))
        #expect(places.refusal(of: block("2001:db8:0:1::1")) == nil)
    }

    @Test func `addresses of this machine may have all but the kept places`() {
        for local in [block("127.0.0.1"), block("127.9.9.9"), block("::1"), .unix] {
            #expect(local.isLocal)
            var places = ConnectionPlaces(placesMax: 256, perAddressMax: 8)
            #expect(fill(&places, local) == (252, .connectionLimit(256)))
            #expect(fill(&places, block("192.0.2.1")) == (4, .connectionLimit(256)))
        }
        #expect(!block("2001:db8::1").isLocal && !block("128.0.0.1").isLocal)
    }

    @Test func `a proxy may have all but the kept places`() throws {
        let range = try #require(AddressRange("198.51.100.0/24"))
        var places = ConnectionPlaces(placesMax: 256, perAddressMax: 8, proxies: [range])
        #expect(fill(&places, block("198.51.100.7")) == (252, .connectionLimit(256)))
        #expect(fill(&places, block("192.0.2.1")) == (4, .connectionLimit(256)))
    }

    @Test func `an accepted address is the client's`() {
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        inet_pton(AF_INET6, "2001:db8::1", &v6.sin6_addr)
        #expect(SocketAddress(bytesOf: v6).address == block("2001:db8::1"))
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, "192.0.2.1", &v4.sin_addr)
        #expect(SocketAddress(bytesOf: v4).address == block("192.0.2.1"))
    }

    @Test func `kept places are for addresses that have few`() {
        var places = ConnectionPlaces(placesMax: 640, perAddressMax: 1_000)
        #expect(fill(&places, block("192.0.2.1")).count == 630)
        #expect(fill(&places, block("192.0.2.2")).count == ConnectionPlaces.reservedPerAddressMax)
        #expect(fill(&places, block("192.0.2.3")).count == ConnectionPlaces.reservedPerAddressMax)
        #expect(fill(&places, block("192.0.2.4")) == (2, .connectionLimit(640)))
    }

    @Test func `a returned place can be taken again, and leaves no entry`() {
        var places = ConnectionPlaces(placesMax: 8, perAddressMax: 8)
        for _ in 0..<3 {
            #expect(fill(&places, block("127.0.0.1")).count == 8)
            for _ in 0..<8 { places.giveBackPlace(of: block("127.0.0.1")) }
            places.giveBackPlace(of: block("127.0.0.1"))
            #expect(places.takenCount == 0)
        }
    }
}
