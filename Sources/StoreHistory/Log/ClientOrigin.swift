/// What the log keeps of the client that an action came from: `127.0.0.1 curl/8.5.0`, with its
/// session in between where it has one, `127.0.0.1 session=0f… curl/8.5.0`.
package enum ClientOrigin {
    /// The most characters that are kept of what a client calls itself.
    private static let agentCharactersMax = 200
    private static let sessionMark = "session="

    package static func text(host: String, session: String?, agent: String?) -> String {
        var text = host
        if let session { text += " " + sessionMark + session }
        guard let agent, !agent.isEmpty else { return text }
        // A client that calls itself so is none with that session.
        if agent.utf8.starts(with: sessionMark.utf8) { text += " -" }
        return text + " " + agent.prefix(agentCharactersMax)
    }

    /// The session in a text; `nil` where the client had none, or the program itself dispatched the
    /// action.
    package static func session(in text: String) -> String? {
        guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let rest = text.utf8[text.utf8.index(after: space)...]
        guard rest.starts(with: sessionMark.utf8) else { return nil }
        let name = rest.dropFirst(sessionMark.utf8.count).prefix { $0 != UInt8(ascii: " ") }
        return name.isEmpty ? nil : String(Substring(name))
    }
}
