/// What the screens of a session are to do once, which is no part of the state: to scroll, to give
/// a field the focus, to play a sound.
package struct ScreenCommand: Sendable {
    package let name: String
    /// What it has to do with; `nil` for nothing.
    package let payload: (any Encodable & Sendable)?
    package let session: String

    package init(_ name: String, _ payload: (any Encodable & Sendable)?, for session: String) {
        self.name = name
        self.payload = payload
        self.session = session
    }
}

/// A command that no screen can get.
struct ScreenlessCommand: Error, CustomStringConvertible {
    let description = "the root state has no sessions, and so no screens that commands go to"
}

extension Engine {
    /// Sends a command of the program to a session's screens. It is dropped, and reported, where
    /// there can be none.
    func command(_ command: ScreenCommand, from source: ActionSource) {
        if let send = ports.commands { return send(command) }
        drop(
            DroppedAction(
                type: "the command '\(command.name)'",
                source: source,
                reason: ScreenlessCommand()
            )
        )
    }
}
