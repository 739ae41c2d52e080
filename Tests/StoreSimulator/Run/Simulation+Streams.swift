import Glibc
import StoreCore
import StoreHTTP
import StoreJSON
import StorePatterns
import StoreServer

extension Simulation {
    /// The largest number of open streams of the state and of the log.
    private static var readersMax: Int { 12 }
    private static var logReadersMax: Int { 3 }

    /// Opens a stream of a client, or resumes an earlier stream.
    func openStream(_ chance: inout Chance) throws {
        if chance.happens(1, in: 5) { return try openLog(&chance) }
        guard readers.count < Self.readersMax else { return }
        if !departed.isEmpty, chance.happens(1, in: 3) {
            return try goOn(from: departed.remove(at: chance.below(departed.count)), &chance)
        }
        let name = chance.happens(1, in: 2) ? chance.pick(Words.readers) : nil
        let client = clients.isEmpty || chance.happens(1, in: 2) ? nil : chance.pick(clients)
        try open(P.streams(&chance), name, client, after: nil, &chance)
    }

    private func goOn(from earlier: Reader, _ chance: inout Chance) throws {
        let client = clients.first { $0.name == earlier.session }
        // A client whose session is over sees another state from now on, and begins anew.
        let isSame =
            client?.name == earlier.session && reading(client).sight == earlier.reading.sight
        try open(earlier.target, earlier.name, client, after: isSame ? earlier : nil, &chance)
    }

    private func open(
        _ target: StreamTarget,
        _ name: String?,
        _ client: Client?,
        after earlier: Reader?,
        _ chance: inout Chance
    ) throws {
        let mark = target.path.contains("?") ? "&" : "?"
        guard try isThere(target, for: client) else { return }
        let subscriber = name.map { mark + "subscriber=" + StreamTarget.escaped($0) }
        let path = target.path + (subscriber ?? "")
        try connect(path, client, after: earlier?.version, &chance) { socket in
            readers.append(
                Reader(
                    target,
                    name: name,
                    as: reading(client),
                    socket: socket,
                    after: earlier
                )
            )
        }
    }

    /// True if the stream exists for a client. A part outside its sight has no stream.
    private func isThere(_ target: StreamTarget, for client: Client?) throws -> Bool {
        let parts = target.path.split(separator: "/", maxSplits: 2)
        let reading = reading(client)
        let isHidden =
            parts.first == "modules" && reading.sight?.contains(String(parts[1])) == false
        guard isHidden || !reading.hasView(target.path) else { return true }
        let (status, _) = try answer(to: target.path, client)
        guard status == 404 else { throw Violation(.sights, "\(target.path) answers \(status)") }
        return false
    }

    private func openLog(_ chance: inout Chance) throws {
        guard logReaders.count < Self.logReadersMax else { return }
        let newest = naive.version
        let after = chance.happens(1, in: 2) ? newest - min(newest, UInt64(chance.below(40))) : nil
        let isResumed = after != nil && chance.happens(1, in: 2)
        let path = "/actions/events" + (isResumed ? "" : after.map { "?after=\($0)" } ?? "")
        let client = drawn(&chance)
        try connect(path, client, after: isResumed ? after : nil, &chance) { socket in
            logReaders.append(LogReader(after: after ?? 0, socket: socket, as: reading(client)))
        }
    }

    /// Requests a stream, and passes the client's end of it to `opened`.
    private func connect(
        _ path: String,
        _ client: Client?,
        after version: UInt64?,
        _ chance: inout Chance,
        _ opened: (CInt) -> Void
    ) throws {
        var sockets: [CInt] = [0, 0]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0 else { return }
        defer { close(sockets[1]) }
        if chance.happens(1, in: 4) {
            // A small buffer, so that the reader is soon behind.
            var bytes: CInt = 4_608
            setsockopt(sockets[0], SOL_SOCKET, SO_RCVBUF, &bytes, 4)
        }
        var headers = cookie(client)
        if let version { headers.append(("Last-Event-ID", "\(server.epoch):\(version)")) }
        note("a stream: \(path) as \(client?.name ?? "nobody") after \(version as Any)")
        let exchange = try server.send("GET", path, headers: headers, socket: sockets[1])
        guard case .streaming? = exchange.answer else {
            throw Violation(.streams, "\(path) is no stream: \(exchange.answer as Any)")
        }
        openedAt.insert(naive.version)
        opened(sockets[0])
    }

    /// Closes a client's stream; the client may come back and resume.
    func leaveStream(_ chance: inout Chance) throws {
        let count = readers.count + logReaders.count
        guard count > 0 else { return }
        let place = chance.below(count)
        if place < readers.count {
            depart(readers.remove(at: place))
        } else {
            logReaders.remove(at: place - readers.count)
        }
        server.turnStreams()
    }

    /// Remembers a reader that has left, for a while.
    func depart(_ reader: Reader) {
        guard reader.version != nil else { return }
        if departed.count == 4 { departed.removeFirst() }
        departed.append(
            Reader(
                reader.target,
                name: reader.name,
                as: reader.reading,
                socket: -1,
                after: reader
            )
        )
    }

    /// Takes the report that a view is shown or hidden. Returns the session that shows the view.
    func takeVisibility(
        _ visibility: ViewVisibility,
        of slice: String,
        _ record: Record
    ) throws -> String? {
        if let cause = record.cause {
            throw Violation(.cause, "\(name(record)) of a view names \(cause)")
        }
        let origin = record.origin ?? ""
        var session = sessionNames.first { origin.contains($0) } ?? Sessions.shared
        if origin == ViewPresence.defaultOrigin {
            // A start ends the open views, in the order of the sessions' names.
            session = shown.min()?.session.text ?? session
        }
        let showing = Showing(session: Bytewise(session), slice: Bytewise(slice))
        let isNews =
            switch visibility {
            case .visible: shown.insert(showing).inserted
            case .hidden: shown.remove(showing) != nil
            }
        guard isNews else {
            throw Violation(.sessions, "\(name(record)) is reported again for \(session)")
        }
        return session == Sessions.shared ? nil : session
    }

    /// Verifies that the last frame of every reader has the model's content for its version.
    func checkStreams() throws {
        server.turnStreams()
        for reader in readers {
            let frames = try reader.take()
            for (version, content) in frames {
                guard let text = past.texts[version] else { continue }
                let expected = reader.reading.part(reader.target, of: text)
                try checkNews(version, of: reader)
                guard Self.isSame(content, expected) else {
                    throw Violation(
                        .streams,
                        "\(reader.target.path) at \(version) as \(reader.reading.name): \(content) and "
                            + "not \(expected)"
                    )
                }
                if version >= reader.leftOut ?? 0 { reader.leftOut = nil }
            }
            if frames.isEmpty, reader.looked === naive.text { continue }
            guard !reader.isClosed, reader.leftOut == nil, let content = reader.content else {
                continue
            }
            reader.looked = naive.text
            let expected = reader.reading.part(reader.target, of: naive.text)
            guard Self.isSame(content, expected) else {
                throw Violation(
                    .streams,
                    "\(reader.target.path) as \(reader.reading.name) ends with \(content) of "
                        + "\(reader.version as Any) and not \(expected)"
                )
            }
        }
        for reader in readers where reader.isClosed { depart(reader) }
        readers.removeAll { $0.isClosed }
        let log = logReaders.isEmpty ? nil : log
        for reader in logReaders {
            guard let log else { break }
            try reader.take(log)
        }
        logReaders.removeAll { $0.isClosed }
    }

    /// Verifies that the log's readers have all records when all work is done.
    func checkLogReaders() throws {
        var turns = 0
        guard !logReaders.isEmpty else { return }
        let log = log
        while logReaders.contains(where: { reader in
            !reader.isClosed && log.next(after: reader.version, for: reader.reading) != nil
        }) {
            turns += 1
            // The log pauses now and then, by the system's clock.
            guard turns < Self.turnsMax else {
                throw Violation(.log, "a reader stays behind version \(naive.version)")
            }
            if turns > 10 { usleep(1_000) }
            server.turnStreams()
            for reader in logReaders {
                try reader.take(log)
            }
        }
    }

    /// The current log of the readers.
    var log: Log {
        Log(
            records: journal.records,
            oldest: journal.oldestVersion,
            module: { [server] in server.module(of: $0.type) },
            owner: { [server] record in self.owner(of: record, server) },
            readers: past.readers,
            forgotten: past.forgotten
        )
    }

    /// Returns the owner of the record of a version; `nil` if it is shared.
    func owner(of version: UInt64) -> String? {
        journal.record(version).flatMap { owner(of: $0, server) }
    }

    /// Returns the owner of a record; `nil` if it is shared.
    private func owner(of record: Record, _ server: SimulatedServer<P.Root>) -> String? {
        // A record of another edition belongs to a shared instance.
        if P.hasEditions, record.type.hasPrefix("bins/") { return nil }
        guard let action = try? server.action(record.type, record.payload) else {
            return record.session ?? Sessions.shared
        }
        return switch P.owner(of: Naive<P>.unaddressed(action).0) {
        case .everybody: nil
        case .session, .nobody: record.session ?? Sessions.shared
        case .user: StateText.owner(as: record.principal?.name, in: record.session)
        }
    }

    /// Verifies that an event has news: a part that its reader sees has changed.
    private func checkNews(_ version: UInt64, of reader: Reader) throws(Violation) {
        defer { reader.shown = version }
        guard let shown = reader.shown, shown < version, reader.leftOut == nil else { return }
        // Two cases need no news. A new reader of the state's topic makes the writer send the whole
        // state again. An unrestricted reader gets each version whose action it may read, even
        // without a change.
        let isWhole =
            reader.target.path.hasPrefix("/events") && !reader.target.path.contains("path=")
        let isTold = reader.reading.sight == nil && isRead(shown + 1...version, by: reader)
        guard !(isWhole && (openedAt.contains(version) || isTold))
        else { return }
        let texts = (shown...version).compactMap { past.texts[$0] }
        guard texts.count == Int(version - shown) + 1 else { return }
        let parts = texts.map { reader.reading.part(reader.target, of: $0) }
        guard parts.allSatisfy({ $0 == parts[0] }) else { return }
        if reader.reading.isOperator {
            // The slices of all sessions change with the first slice of sessions, too.
            let first = texts.map {
                reader.target.part($0.visible(to: StateText.nobody, as: StateText.nobody))
            }
            guard first.allSatisfy({ $0 == first[0] }) else { return }
        }
        throw Violation(
            .streams,
            "\(reader.target.path) as \(reader.reading.name) is sent \(version), in which nothing "
                + "has changed since \(shown)"
        )
    }

    /// True if a reader may read the action of one of these versions.
    private func isRead(_ versions: ClosedRange<UInt64>, by reader: Reader) -> Bool {
        let log = log
        return log.records.contains { record in
            versions.contains(record.version) && log.isVisible(record, to: reader.reading)
        }
    }

    /// True if both are the same document. The simulation writes the patched document itself.
    private static func isSame(_ a: StreamTarget.Part, _ b: StreamTarget.Part) -> Bool {
        if a == b { return true }
        guard case .json(let a) = a, case .json(let b) = b else { return false }
        return JSONText.canonical(a.bytes) == JSONText.canonical(b.bytes)
    }
}

/// A view that a session shows.
struct Showing: Hashable, Comparable {
    let session: Bytewise
    let slice: Bytewise

    static func < (a: Showing, b: Showing) -> Bool {
        a.session == b.session ? a.slice < b.slice : a.session < b.session
    }
}
