import Glibc
import StorePlatform

/// The command `store-server assert FILE`, which plays a script and prints the outcome of each
/// step.
struct AssertCommand {
    private let script: AssertScript

    /// Reads the script.
    ///
    /// - Throws: ``UsageError`` if it can't be read.
    init(_ file: String) throws(UsageError) {
        guard let bytes = FileReader.read(file, bytesMax: AssertScript.bytesMax) else {
            throw UsageError("\(file): it can't be read; allowed is a readable file")
        }
        do { script = try AssertScript(parsing: bytes) } catch {
            throw UsageError("\(file): \(error)")
        }
    }

    /// Plays the script against the server at `url`, or, without a URL, against a server that is
    /// started for it. Returns true if all steps hold.
    ///
    /// - Throws: ``UsageError`` if `url` is not an address; an error if no server can be started,
    ///   or it does not answer.
    func run(
        at url: String?,
        showing credentials: ScriptCredentials,
        start: (_ principals: [String]) throws -> ScriptServer
    ) throws -> Bool {
        if let url { return try play(at: url, showing: credentials) }
        let server = try start(script.principals)
        defer { server.stop() }
        return try play(at: server.url, showing: server.credentials)
    }

    private func play(at url: String, showing credentials: ScriptCredentials) throws -> Bool {
        if let other = script.principals.first(where: { credentials.senders[$0] == nil }) {
            throw UsageError("a step acts as '\(other)': --as \(other)=FILE has its credential")
        }
        guard let http = CommandClient(url) else {
            throw UsageError("--url: " + CommandClient.noAddress(url))
        }
        var run = AssertRun(script: script, client: StoreClient(http: http, credentials)) { line in
            print(line)
            fflush(nil)
        }
        return try run.play() == 0
    }
}
