import StorePatterns

/// As whom a client reads: what it may see, and what it may not.
struct Reading {
    /// Its session; `nil` for none.
    let session: String?
    /// What it alone writes into its slices.
    let mark: String
    /// Whether it sees what all sessions have.
    let isOperator: Bool
    /// Who it is; `nil` for one that shows nothing.
    var principal: String?
    /// The modules that its role sees; `nil` for all.
    var sight: Set<String>?

    var name: String { session ?? Sessions.shared }

    /// A version as the client sees it.
    func visible(_ text: StateText) -> StateText {
        let own = isOperator ? text : text.visible(to: name)
        return sight.map { own.seen($0) } ?? own
    }

    /// Who has its idempotency keys.
    var keyOwner: String? { principal.map { "@" + $0 } ?? session }

    /// Whether something that it sees is another in another version, of whatever session.
    func differs(_ old: StateText, _ new: StateText) -> Bool {
        guard let sight else { return old.whole != new.whole }
        return old.differs(from: new, in: sight)
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
