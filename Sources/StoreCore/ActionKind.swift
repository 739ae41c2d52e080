extension Action {
    /// The wire name that an action shares with those that differ in the instance alone, as schemas
    /// have it: `cards/{id}/liked` for `cards/7/liked`. Clients choose ids, so figures and events
    /// are named by this.
    ///
    /// Cost: two comparisons where there is no instance.
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
    /// The name with `{id}` in place of what is between the first slash from there on and the last.
    fileprivate func withoutInstance(from start: Int) -> String {
        // Bytes are looked at: with a combining mark behind it, the slash is another character.
        let slash = UInt8(ascii: "/")
        let rest = utf8.dropFirst(start)
        guard let first = rest.firstIndex(of: slash), let last = rest.lastIndex(of: slash),
            first < last
        else { return self }
        return "\(self[..<utf8.index(after: first)]){id}\(self[last...])"
    }
}
