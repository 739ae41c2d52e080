import StorePatterns

/// The reader that a client is: its session, its principal, and the parts that it may see.
struct Reading {
    /// The client's session; `nil` if it has none.
    let session: String?
    /// The mark that only this client writes into its slices.
    let mark: String
    /// True if the client sees the slices of all sessions.
    let isOperator: Bool
    /// The client's principal; `nil` if it shows no credential.
    var principal: String?
    /// The modules that the client's role sees; `nil` for all.
    var sight: Set<String>?
    /// The views that the client's role is granted; `nil` for all.
    var views: Set<String>?
    /// True if these views show the client a part of modules that it does not see.
    var isShownUnseen = false

    var name: String { session ?? Sessions.shared }

    /// The owner of slices of users that the client is.
    var owner: String { StateText.owner(as: principal, in: session) }

    /// Returns a version as the client sees it.
    func visible(_ text: StateText) -> StateText {
        let own = isOperator ? text : text.visible(to: name, as: owner)
        return sight.map { own.seen($0) } ?? own
    }

    /// The owner of the client's idempotency keys.
    var keyOwner: String? { principal.map { "@" + $0 } ?? session }

    /// True if a part that the client sees differs between two versions, in any session. A session
    /// without a slice of its own sees the default value, which no text of all sessions has.
    func differs(_ old: StateText, _ new: StateText) -> Bool {
        guard let sight else { return old.whole != new.whole }
        return old.differs(from: new, in: sight)
            || old.visible(to: name, as: owner)
                .differs(from: new.visible(to: name, as: owner), in: sight)
    }

    /// Returns the part that a stream sends to the client. A view never shows all sessions.
    func part(_ target: StreamTarget, of text: StateText) -> StreamTarget.Part {
        let isView = target.path.hasPrefix("/views")
        return target.part(isView ? text.visible(to: name, as: owner) : visible(text))
    }

    /// True if the client may read a view of this path.
    func hasView(_ path: String) -> Bool {
        let parts = path.split { $0 == "/" || $0 == "?" }
        guard let views, parts.first == "views", parts.count > 1 else { return true }
        return views.contains(String(parts[1]))
    }

    /// Throws if the bytes have a text that another session wrote into its slices.
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
