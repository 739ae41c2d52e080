import Glibc
import StoreWire

/// The bytes that a connection sends, given to libmicrohttpd and the server behind it: one that all
/// may use, and one whose clients may see and do little.
///
/// All that is sent back is HTTP, none of it is an error of the server, no connection is left, and
/// what is hidden stays hidden.
struct RequestsTarget: FuzzTarget {
    /// A number in a slice that the second server's clients may not see.
    private static let secret = 918_273_645
    /// The most actions that a server takes before another one is made.
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
        // Answers to HEAD have no body, whatever their length is: of these, the first is looked at.
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
