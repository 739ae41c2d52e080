/// The text with which the log describes the client of an action, such as `127.0.0.1 curl/8.5.0`.
/// If the client has a session, it is in the middle: `127.0.0.1 session=0f… curl/8.5.0`.
package enum ClientOrigin {
    /// The most characters of the client's `User-Agent` that are stored.
    private static let agentCharactersMax = 200
    private static let sessionMark = "session="

    package static func text(host: String, session: String?, agent: String?) -> String {
        var text = host
        if let session { text += " " + sessionMark + session }
        guard let agent, !agent.isEmpty else { return text }
        // The dash keeps a `User-Agent` with the mark from being read as a session.
        if agent.utf8.starts(with: sessionMark.utf8) { text += " -" }
        return text + " " + agent.prefix(agentCharactersMax)
    }

    /// Returns the session in a text; `nil` if the client had none, or if the program itself
    /// dispatched the action.
    package static func session(in text: String) -> String? {
        guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let rest = text.utf8[text.utf8.index(after: space)...]
        guard rest.starts(with: sessionMark.utf8) else { return nil }
        let name = rest.dropFirst(sessionMark.utf8.count).prefix { $0 != UInt8(ascii: " ") }
        return name.isEmpty ? nil : String(Substring(name))
    }
}
