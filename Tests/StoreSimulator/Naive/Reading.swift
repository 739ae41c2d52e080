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
    /// The views that its role is granted; `nil` for all.
    var views: Set<String>?
    /// Whether they show it something of modules that it does not see.
    var isShownUnseen = false

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

    /// Whether there is a view for it that has this path.
    func hasView(_ path: String) -> Bool {
        let parts = path.split { $0 == "/" || $0 == "?" }
        guard let views, parts.first == "views", parts.count > 1 else { return true }
        return views.contains(String(parts[1]))
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
