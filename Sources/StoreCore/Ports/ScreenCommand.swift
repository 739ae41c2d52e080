/// A command that the screens of a session execute once, such as to scroll, to focus a field, or to
/// play a sound. A command is no part of the state.
package struct ScreenCommand: Sendable {
    package let name: String
    /// The data for the command; `nil` if there are none.
    package let payload: (any Encodable & Sendable)?
    package let session: String

    package init(_ name: String, _ payload: (any Encodable & Sendable)?, for session: String) {
        self.name = name
        self.payload = payload
        self.session = session
    }
}

/// The error of a command that no screen can receive.
struct ScreenlessCommand: Error, CustomStringConvertible {
    let description = "the root state has no sessions, and so no screens for commands"
}

extension Engine {
    /// Sends a command of the program to a session's screens. Without sessions, drops and reports
    /// the command.
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
