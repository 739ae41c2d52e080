import StoreActionCatalog
import StoreCore
import StoreDigest
import StoreHTTPTransport
import StoreWire

extension DispatchHandler {
    /// The request's key and its fingerprint, where the client means to be able to send it again
    /// (protocol 2.8).
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

    /// Of the body; for a view with its module and its instance, whose names the body may leave
    /// out: two views may send the same bytes and mean different actions.
    private static func fingerprint(
        of body: UnsafeRawBufferPointer,
        for audience: ActionAudience
    ) -> [UInt8] {
        guard case .views(let module, let instance) = audience else { return SHA256.digest(body) }
        // No name has a byte of 255 in it.
        let view = instance.map { Array(module.utf8) + [255] + Array($0.utf8) + [255] }
        return ((view ?? Array(module.utf8) + [0]) + body).withUnsafeBytes { SHA256.digest($0) }
    }

    private static let keyCharactersMax = 255
}
