public import StoreCore

extension Subscription {
    /// The command that ends what was begun.
    public func command(
        id: String = "end subscription",
        file: String = #fileID,
        function: String = #function,
        line: UInt = #line
    ) -> PlainCommand {
        PlainCommand(id: id, file: file, function: function, line: line) { [self] in cancel() }
    }

    /// Leaves the end to a disposer, which brings it about when it goes.
    public func dispose(on disposer: Disposer) {
        disposer.add(disposal: command())
    }
}
