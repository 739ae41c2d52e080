import StorePatterns

/// As whom a client reads: what it may see, and what it may not.
struct Reading {
    /// Its session; `nil` for none.
    let session: String?
    /// What it alone writes into its slices.
    let mark: String
    /// Whether it sees what all sessions have.
    let isOperator: Bool

    var name: String { session ?? Sessions.shared }

    /// A version as the client sees it.
    func visible(_ text: StateText) -> StateText {
        isOperator ? text : text.visible(to: name)
    }

    /// What a stream is about, as the client sees it. A view is never of all sessions.
    func part(_ target: StreamTarget, of text: StateText) -> StreamTarget.Part {
        let isView = target.path.hasPrefix("/views")
        return target.part(isView ? text.visible(to: name) : visible(text))
    }

    /// Looks for what other sessions wrote into theirs.
    func search(_ bytes: [UInt8], _ place: @autoclosure () -> String) throws(Violation) {
        guard !isOperator else { return }
        let (own, start) = (Array(mark.utf8), Array(Words.mark.utf8))
        var rest = bytes[...]
        while let found = rest.firstRange(of: start) {
            guard rest[found.lowerBound...].starts(with: own) else {
                let end = min(rest.endIndex, found.lowerBound + 40)
                let text = Bytewise(Array(rest[found.lowerBound..<end]))
                throw Violation(.privacy, "\(place()) as \(name) has \(text)")
            }
            rest = rest[found.upperBound...]
        }
    }
}
