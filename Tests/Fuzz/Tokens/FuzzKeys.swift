import Glibc

@testable import StoreAuthentication

/// Keys and tokens that are the same in each run, so that the inputs of a run are useful in the
/// next run. `Tests/Fuzz/Keys` has API keys, an issuer's keys of each kind, and a token for each
/// key.
struct FuzzKeys {
    static let issuer = "https://issuer.example"
    static let audience = "store"
    /// The member `k` of the symmetric key.
    private static let secret = Array("fuzzers sign with this secret, 32 bytes and more".utf8)

    let configuration: AuthenticationConfiguration
    /// All good tokens.
    let tokens: Set<[UInt8]>
    /// The parsed form of a good token.
    let token: JWT

    init() throws {
        guard let folder = variable("FUZZ_FOLDER") else { fatalError("FUZZ_FOLDER is not set.") }
        var configuration = AuthenticationConfiguration()
        configuration.keysFile = folder + "/Keys/api.json"
        configuration.issuer = IssuerConfiguration(
            name: Self.issuer,
            audiences: [Self.audience],
            keyFiles: [folder + "/Keys/issuer.json"]
        )
        self.configuration = configuration
        let lines = try CredentialFile.read(folder + "/Keys/tokens").bytes.split(separator: 10)
        tokens = Set(lines.map { Array($0) })
        token = try Array(lines[0]).withUnsafeBytes { try JWT($0) }
    }

    /// Returns a token that the issuer's secret has signed.
    func signed(_ header: [UInt8], _ claims: [UInt8]) -> [UInt8] {
        let dot = [UInt8(ascii: ".")]
        let text = Base64URL.encode(header) + dot + Base64URL.encode(claims)
        return text + dot + Base64URL.encode(mac(of: text))
    }

    func mac(of text: [UInt8]) -> [UInt8] {
        do {
            return try Secrets.mac(of: text, by: Self.secret)
        } catch {
            fatalError("\(error)")
        }
    }
}
