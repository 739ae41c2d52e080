import StoreWire

/// What an answer says was applied.
struct Acknowledged {
    let first: UInt64
    let last: UInt64

    /// `nil` for an answer that acknowledges nothing.
    init?(_ answer: Answer) {
        guard case .response(let status, let body) = answer,
            // What an action led to may fail where the action itself was applied.
            200...202 ~= status || Bytewise(body).contains(Bytewise("/problems/effect-failed")),
            let document = try? JSONDocument(parsing: body, limits: .unbounded),
            let last = Self.number("version", in: document)
        else { return nil }
        self.last = last
        first = Self.number("first", in: document) ?? last
    }

    private static func number(_ name: String, in document: JSONDocument) -> UInt64? {
        let node = JSONPointer(tokens: [name]).find(in: document)
        return node.flatMap { UInt64(String(decoding: $0.source, as: UTF8.self)) }
    }
}
