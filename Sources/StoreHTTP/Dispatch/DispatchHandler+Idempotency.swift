import StoreActionCatalog
import StoreCore
import StoreDigest
import StoreHTTPTransport
import StoreWire

extension DispatchHandler {
    /// Returns the key and the fingerprint of a request that the client may send again (protocol
    /// 2.8). Returns `nil` without the header `Idempotency-Key`.
    static func idempotency(
        _ exchange: HTTPExchange,
        of caller: Caller,
        _ reader: MemberReader,
        _ link: String?
    ) throws(Problem) -> Idempotency? {
        guard let header = exchange.headerList("idempotency-key") else { return nil }
        guard let key = StructuredString.parse(header),
            1...keyCharactersMax ~= key.utf8.count
        else {
            throw .badHeader(
                "Idempotency-Key",
                allowed:
                    "a string of 1 to \(keyCharactersMax) characters in double quotes, such as "
                    + "\"8e03978e-40d5\""
            )
        }
        let audience = reader.audience
        return Idempotency(
            key: IdempotencyKey(principal: caller.keyOwner, key: key),
            fingerprint: link.map {
                var link = $0
                return link.withUTF8 { fingerprint(of: UnsafeRawBufferPointer($0), for: audience) }
            } ?? exchange.withBody { fingerprint(of: $0, for: audience) }
        )
    }

    /// Returns the digest of the body. For the actions of views, the module and the instance are
    /// included. Two views may send the same bytes for different actions, because the body may
    /// leave these names out.
    private static func fingerprint(
        of body: UnsafeRawBufferPointer,
        for audience: ActionAudience
    ) -> [UInt8] {
        guard case .views(let module, let instance) = audience else { return SHA256.digest(body) }
        // A byte of 255 separates the names, because no name contains it.
        let view = instance.map { Array(module.utf8) + [255] + Array($0.utf8) + [255] }
        return ((view ?? Array(module.utf8) + [0]) + body).withUnsafeBytes { SHA256.digest($0) }
    }

    private static let keyCharactersMax = 255
}
