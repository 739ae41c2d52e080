import Glibc

/// The bytes that a connection sends to a server behind libmicrohttpd. All clients may use the
/// first server. The clients of the second server have few permissions.
///
/// All answers are HTTP, and no answer has a status of a server error. No connection stays open,
/// and hidden parts stay hidden.
struct RequestsTarget: FuzzTarget {
    /// A number in a slice that is hidden from the second server's clients.
    private static let secret = 918_273_645
    /// The number of actions after which a new server takes the place of the old server.
    private static let versionMax: UInt64 = 2_000

    private var open = FuzzServer(guarded: false, step: secret)
    private var guarded = FuzzServer(guarded: true, step: secret)
    private var count = 0

    mutating func run(_ bytes: UnsafeRawBufferPointer) {
        let bytes = Array(bytes)
        check(open.answer(to: bytes), to: bytes)
        let answers = guarded.answer(to: bytes)
        check(answers, to: bytes)
        let secret = "\(Self.secret)"
        hold(
            !answers.text.contains(secret) || bytes.text.contains(secret),
            "What is hidden is shown: \(answers.text)"
        )
        count += 1
        if count % 64 == 0 {
            for server in [open, guarded] { checkAlive(server) }
        }
        if open.version > Self.versionMax { open = FuzzServer(guarded: false, step: Self.secret) }
        if guarded.version > Self.versionMax {
            guarded = FuzzServer(guarded: true, step: Self.secret)
        }
    }

    private func checkAlive(_ server: FuzzServer) {
        let request = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let answer = server.answer(to: Array(request.utf8)).text
        hold(answer.hasPrefix("HTTP/1.1 200 "), "The server is not alive: \(answer)")
    }

    private func check(_ bytes: [UInt8], to request: [UInt8]) {
        var rest = bytes[...]
        // Answers to HEAD have no body, although they have a length. Only the first of the answers
        // is checked.
        let hasHeads = request.text.contains("HEAD")
        while !rest.isEmpty {
            guard let answer = HTTPMessage(&rest, hasBody: !hasHeads) else {
                fatalError("This is no answer: \(bytes.text)")
            }
            hold(
                100..<500 ~= answer.status || [503, 505].contains(answer.status),
                "An error of the server's: \(bytes.text)"
            )
            if hasHeads { return }
            answer.checkBody()
        }
    }
}
