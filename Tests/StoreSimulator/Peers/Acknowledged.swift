import StoreJSON

/// The applied versions that an answer names.
struct Acknowledged {
    let first: UInt64
    let last: UInt64

    /// Is `nil` for an answer that acknowledges nothing.
    init?(_ answer: Answer) {
        guard case .response(let status, let body) = answer,
            // Effects of an action may fail although the action itself was applied.
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
