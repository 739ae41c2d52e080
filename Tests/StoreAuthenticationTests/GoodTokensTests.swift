import Testing

@testable import StoreAuthentication

@Suite struct GoodTokensTests {
    private func key(_ number: Int, isCookie: Bool = false) -> VerifiedTokenCache.Key {
        withUnsafeBytes(of: number) {
            VerifiedTokenCache.Key(digest: TokenDigest(of: $0), isCookie: isCookie)
        }
    }

    private func principal(_ number: Int) -> Principal {
        Principal(name: "\(number)", role: "r", credential: .apiKey("k"), expiresAt: nil)
    }

    @Test func `the cache keeps repeated tokens longer, within its bound`() {
        let tokens = VerifiedTokenCache(countMax: 100)
        for number in 0..<1_000 {
            tokens.keep(principal(number), key(number))
            #expect(tokens.principal(of: key(0))?.name == "0")
            #expect(tokens.count <= 100)
        }
        #expect(tokens.principal(of: key(999))?.name == "999")
        #expect(tokens.principal(of: key(1)) == nil)
        #expect(tokens.principal(of: key(999, isCookie: true)) == nil)
    }
}
