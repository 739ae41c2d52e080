extension Action {
    /// Returns the wire name without the id of an instance, as schemas have it: `cards/{id}/liked`
    /// for `cards/7/liked`. Figures and events use this name: clients choose the ids, so the number
    /// of ids has no bound.
    ///
    /// Cost: two comparisons for an action without an instance.
    package func kind(of wireName: String) -> String {
        let own = type(of: self)
        if own == AddressedAction.self { return wireName.withoutInstance(from: 0) }
        guard own == ClientRequest.self, (self as? ClientRequest)?.address?.instance != nil else {
            return wireName
        }
        return wireName.withoutInstance(from: ClientRequest.useCases.utf8.count + 1)
    }
}

extension String {
    /// Replaces the text between the first slash after `start` and the last slash with `{id}`.
    fileprivate func withoutInstance(from start: Int) -> String {
        // Compares bytes: a slash with a combining mark behind it is another `Character`.
        let slash = UInt8(ascii: "/")
        let rest = utf8.dropFirst(start)
        guard let first = rest.firstIndex(of: slash), let last = rest.lastIndex(of: slash),
            first < last
        else { return self }
        return "\(self[..<utf8.index(after: first)]){id}\(self[last...])"
    }
}
