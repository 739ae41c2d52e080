import StoreJSON

/// The parameters `from` and `limit` of a request, with the plainest reading of their meaning.
struct Window {
    let from: String?
    let limit: Int?

    /// Returns a window that begins anywhere, and is so small that members are left out.
    static func some(_ chance: inout Chance) -> Window {
        let from = chance.happens(2, in: 3) ? Words.text(&chance) : nil
        return Window(
            from: from,
            limit: from == nil || chance.happens(1, in: 2) ? 1 + chance.below(3) : nil
        )
    }

    var query: String {
        [from.map { "from=" + StreamTarget.escaped($0) }, limit.map { "limit=\($0)" }]
            .compactMap { $0 }.joined(separator: "&")
    }

    /// Returns the members of an object that the window selects; `nil` if the part is no object.
    func part(_ part: Bytewise) -> Bytewise? {
        guard let document = try? JSONDocument(parsing: part.bytes, limits: .unbounded),
            document.root.kind == .object
        else { return nil }
        let members = document.root.members.map { ($0.name, String($0.value.sourceText)) }
            .filter { Bytewise($0.0) >= Bytewise(from ?? "") }
            .sorted { Bytewise($0.0) < Bytewise($1.0) }
        return Bytewise(JSONText.object(Array(members.prefix(limit ?? members.count))))
    }
}
