import Glibc
import Platform
import ServerCommandLine

extension StoreServer {
    /// Plays a script against the server at `url`, or else against one of this program's own that is
    /// started for it and keeps nothing. Answers whether all of it holds.
    ///
    /// - Throws: ``UsageError`` where the script can't be read, and whatever keeps a server
    ///   from being started or asked.
    func assert(
        _ file: String,
        at url: String?,
        _ configuration: ServerConfiguration
    ) throws -> Bool {
        guard let bytes = FileReader.read(file, bytesMax: AssertScript.bytesMax) else {
            throw UsageError("\(file): it can't be read; allowed is a readable file")
        }
        let script: AssertScript
        do { script = try AssertScript(parsing: bytes) } catch {
            throw UsageError("\(file): \(error)")
        }
        if let url { return try play(script, at: url) }

        var own = configuration
        own.listen = ["127.0.0.1:0"]
        own.ephemeral = true
        own.analytics = .off
        // A client that is gone must not end the process.
        _ = Signals([])
        var memory = self
        memory.givenJournal = nil
        let server = try memory.start(own)
        defer { server.stop() }
        return try play(script, at: server.addresses.joined())
    }

    private func play(_ script: AssertScript, at url: String) throws -> Bool {
        guard let http = CommandClient(url) else {
            throw UsageError("--url: " + CommandClient.noAddress(url))
        }
        let run = AssertRun(script: script, client: StoreClient(http: http)) { line in
            print(line)
            fflush(nil)
        }
        return try run.play() == 0
    }
}
