import DefaultStore
import StoreCommandLine
import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreJournalSQLite
import StoreTelemetry
import Testing

@testable import StoreActionCatalog
@testable import StoreCommandLine
@testable import StoreHTTP
@testable import StoreHTTPTransport
@testable import StoreHistory
@testable import StorePublishing
@testable import StoreServer

/// Relations between bounds, one in each test: between the bounds of a fresh server, and between
/// any bounds that ``ServerConfiguration/check()`` accepts.
@Suite struct BoundsTests {
    private let fresh = ServerConfiguration()

    /// Returns a fresh configuration with the largest value of an option.
    private func largest(_ name: String) throws -> ServerConfiguration {
        let option = try #require(ServerConfiguration.options.first { $0.name == name })
        let most = try #require(option.help.split(separator: "...").last?.dropLast())
        var configuration = fresh
        try option.apply(&configuration, [String(most)], "--\(name)")
        return configuration
    }

    // Requests

    @Test func `a target that is within its bound fits into the headers`() {
        #expect(fresh.http.uriBytesMax <= fresh.http.headersBytesMax)
    }

    /// The library clears this memory after each request, and half of the memory before each
    /// answer.
    @Test func `a connection's memory is the bound on headers and the head of an answer`() {
        let bound = fresh.transport.headersBytesMax
        #expect(bound == 16 << 10)
        #expect(
            fresh.transport.connectionMemoryBytes == bound + TransportConfiguration.answerHeadBytes
        )
        #expect(fresh.transport.connectionMemoryBytes * 3 / 2 <= 28_000)
    }

    @Test func `the memory for messages holds the largest bodies, with any bound`() {
        var configuration = fresh
        for body in [1 << 20, 512 << 20] {
            configuration.http.bodyBytesMax = body
            for memory in [nil, 1 << 20, 64 << 30] {
                configuration.memoryBytesMax = memory
                let bytes = configuration.transport.buffersBytesMax
                let shares = MessageMemory(bytesMax: bytes)
                #expect(
                    shares.shareBytesMax >= body && shares.bodiesBytesMax >= shares.shareBytesMax
                )
                #expect(bytes >= (memory ?? 0) / 4)
            }
        }
        #expect(MessageMemory.uncountedBytes < fresh.http.bodyBytesMax)
    }

    @Test func `the transport and the reader of JSON have the configuration's bounds`() {
        var configuration = fresh
        configuration.http.headersBytesMax += 1
        configuration.http.uriBytesMax += 2
        configuration.http.bodyBytesMax += 3
        configuration.http.connectionsMax += 4
        configuration.streams.countMax += 5
        let transport = configuration.transport
        #expect(transport.headersBytesMax == configuration.http.headersBytesMax)
        #expect(transport.uriBytesMax == configuration.http.uriBytesMax)
        #expect(transport.bodyBytesMax == configuration.http.bodyBytesMax)
        #expect(transport.connectionsMax == configuration.http.connectionsMax)
        #expect(configuration.streamLimits.streamsMax == configuration.streams.countMax)
    }

    @Test func `a fresh server's bounds are the bounds of the parts that enforce them`() {
        let transport = TransportConfiguration(addresses: [])
        #expect(fresh.http.bodyBytesMax == transport.bodyBytesMax)
        #expect(fresh.http.bodyBytesMax == JSONLimits().bytesMax)
        #expect(fresh.http.bodyDepthMax == JSONLimits().depthMax)
        #expect(fresh.actions.mailboxMax == CoreConfiguration<AppState>().clientMailboxMax)
        #expect(fresh.memoryRetention == .inMemory)
        #expect(fresh.diskRetention == Retention())
    }

    @Test func `the deepest nesting that can be configured can be read`() throws {
        #expect(try largest("depth-max").http.bodyDepthMax == JSONLimits.depthCeiling)
    }

    @Test func `the rest of a refused body that is within its bound is taken off`() {
        #expect(
            fresh.http.bodyBytesMax <= TransportConfiguration(addresses: []).discardedBodyBytesMax
        )
    }

    @Test func `the queue of a starting server has room for the largest body`() {
        #expect(fresh.http.bodyBytesMax <= StartGate.queuedBytesMax)
        #expect(StartGate.queuedRequestsMax <= fresh.http.connectionsMax)
    }

    @Test func `a starting server lets no request wait longer than a running server`() {
        #expect(StartGate.queuedSecondsMax == Double(ClientWait.secondsMax))
        #expect(StateParameters.wait.allows("\(ClientWait.secondsMax)"))
        #expect(DispatchTicket.waitSecondsMax == ClientWait.secondsMax)
        #expect(ClientRequestTicket.waitSecondsMax == ClientWait.secondsMax)
    }

    // History

    @Test func `the largest body that can be configured fits into one record`() throws {
        let configuration = try largest("body-max")
        #expect(configuration.http.bodyBytesMax <= SQLiteJournal.fieldBytesMax)
        try configuration.check()
    }

    @Test func `a start refuses a larger bound on bodies, with the reason`() {
        var configuration = fresh
        configuration.http.bodyBytesMax = SQLiteJournal.fieldBytesMax + 1
        #expect {
            try configuration.check()
        } throws: {
            let line = "\($0)"
            return line.contains("--body-max")
                && line.contains("to \(SQLiteJournal.fieldBytesMax)")
        }
    }

    @Test func `a record as large as may be fits into a row of SQLite`() {
        // Payload and meta are parts of one body. The server writes the other texts.
        let texts = 2 * InstanceID.bytesMax + 4 * (4 << 10)
        #expect(
            SQLiteJournal.fieldBytesMax + DispatchBodyReader.metaBytesMax + texts
                < 1_000_000_000
        )
        #expect(SQLiteJournal.fieldBytesMax < UInt32.max)
    }

    @Test func `the largest first state can be kept`() {
        #expect(StateFile<AppState>.bytesMax <= SQLiteJournal.fieldBytesMax)
    }

    @Test func `a registry takes the same ids as instances`() {
        #expect(InstanceID.bytesMax == Instances<Todos.State>.idBytesMax)
    }

    @Test(arguments: [1, 2, 100, 100_000, 10_000_000], [1, 10_000, 10_000_000])
    func `history in memory reaches back to a snapshot`(history: Int, snapshots: Int) throws {
        var configuration = fresh
        configuration.history.ephemeral = true
        configuration.history.memoryActionsMax = history
        configuration.history.actionsPerSnapshot = snapshots
        let kept = configuration.memoryRetention
        let bounds = configuration.snapshotBounds
        #expect(bounds.records >= 1 && bounds.records <= UInt64(snapshots))
        #expect(history < 2 || 2 * bounds.records <= (kept.recordsMax ?? .max))
        #expect(2 * bounds.bytes <= (kept.bytesMax ?? .max))
    }

    @Test func `a history in memory has enough bytes for its bound of records`() {
        var configuration = fresh
        configuration.history.memoryActionsMax = 10_000_000
        let counter = Record(
            version: 1,
            time: 0,
            type: "CounterIncreaseRequested",
            payload: Array("{}".utf8),
            requestID: "0123456789abcdef",
            changed: true,
            origin: "127.0.0.1 session=0123456789abcdef0123456789abcdef curl/8.5.0",
            session: "0123456789abcdef0123456789abcdef"
        )
        for each in [fresh, configuration] {
            let bytes = UInt64(counter.memoryBytes) * UInt64(each.history.memoryActionsMax)
            #expect(bytes <= each.memoryRetention.bytesMax ?? .max)
        }
    }

    @Test func `on disk the configured bounds are the journal's`() {
        var configuration = fresh
        configuration.history.bytesMax = nil
        configuration.history.ageMax = nil
        configuration.history.actionsPerSnapshot = 7
        #expect(configuration.diskRetention == .forever)
        #expect(configuration.snapshotBounds.records == 7)
        #expect(configuration.snapshotBounds.bytes == SnapshotKeeper.recordBytesBetweenSnapshots)
    }

    // The Core

    @Test func `an array fits into the mailbox of a fresh server many times`() {
        #expect(16 * fresh.actions.arrayActionsMax <= fresh.actions.mailboxMax)
    }

    @Test func `the bounds of a schema on arrays can be configured, and no more`() throws {
        #expect(fresh.actions.arrayActionsMax == JSONSchema.arrayActionsMaxDefault)
        #expect(
            try largest("batch-max").actions.arrayActionsMax == JSONSchema.arrayActionsMaxDefault
        )
    }

    @Test func `every connection can have an action that waits`() {
        #expect(fresh.http.connectionsMax <= fresh.actions.mailboxMax)
    }

    // Connections, streams, sessions

    @Test(arguments: [128, 200, 1_024, 4_096, 20_000, 1_000_000])
    func `connections and streams fit into the descriptors there are`(descriptors: Int) throws {
        let fitted = try fresh.fitted(toDescriptors: descriptors, .standardError)
        let used =
            fitted.http.connectionsMax + fitted.streams.countMax + DescriptorBudget.reservedCount
        #expect(used <= descriptors)
        #expect(fitted.http.connectionsMax >= DescriptorBudget.clientDescriptorsMin / 2)
        #expect(fitted.http.connectionsMax <= fresh.http.connectionsMax)
        #expect(fitted.streams.countMax <= fresh.streams.countMax)
    }

    @Test(arguments: [
        (300, 10_000, 412), (300, 10_000, 20_000), (4_096, 50, 162), (4_000, 50, 4_146),
        (300, 0, 396),
    ])
    func `bounds that are set are kept`(connections: Int, streams: Int, descriptors: Int) throws {
        var configuration = fresh
        (configuration.http.connectionsMax, configuration.streams.countMax) = (connections, streams)
        let fitted = try configuration.fitted(toDescriptors: descriptors, .standardError)
        let used =
            fitted.http.connectionsMax + fitted.streams.countMax + DescriptorBudget.reservedCount
        #expect(used <= descriptors)
        if connections != fresh.http.connectionsMax {
            #expect(fitted.http.connectionsMax == connections)
        }
        if streams != fresh.streams.countMax { #expect(fitted.streams.countMax == streams) }
        #expect(fitted.http.connectionsMax >= DescriptorBudget.clientDescriptorsMin / 2)
    }

    @Test(arguments: [(300, 10_000, 411), (4_096, 50, 161), (4_000, 50, 4_145), (300, 0, 395)])
    func `bounds that are set and don't fit are refused`(
        connections: Int,
        streams: Int,
        descriptors: Int
    ) throws {
        var configuration = fresh
        (configuration.http.connectionsMax, configuration.streams.countMax) = (connections, streams)
        #expect(throws: ConfigurationError.self) {
            try configuration.fitted(toDescriptors: descriptors, .standardError)
        }
    }

    @Test(arguments: [1, 64, 127])
    func `with too few descriptors the server does not start`(descriptors: Int) {
        #expect(throws: ConfigurationError.self) {
            try fresh.fitted(toDescriptors: descriptors, .standardError)
        }
    }

    @Test func `sockets that linger are reckoned with`() {
        #expect(2 * EventLoop.lingeringSocketsMax <= DescriptorBudget.reservedCount)
    }

    @Test func `a single address can't take the places of all others`() {
        let transport = fresh.transport
        let places = ConnectionPlaces(
            placesMax: transport.connectionsMax,
            perAddressMax: transport.effectiveConnectionsPerAddressMax
        )
        #expect(4 * places.perAddressMax <= places.placesMax)
        #expect(places.reservedCount >= 8 * ConnectionPlaces.reservedPerAddressMax)
    }

    @Test func `fewer requests are parked than connections may be open`() {
        #expect(EventLoop.parkedRequestsMax <= fresh.http.connectionsMax)
    }

    @Test func `a live reader gets a heartbeat before a stalled reader is closed`() {
        #expect(fresh.streams.heartbeat < fresh.streams.stallTimeout)
    }

    @Test func `a stream's backlog is small beside the bound of all streams`() {
        #expect(Backlog.bytesMax <= Inbox.versionBytesMax)
        #expect(LogCache.pieceBytesMax <= LogCache().bytesMax)
    }

    @Test func `no address can take all sessions`() {
        #expect(10 * fresh.sessions.perAddressMax <= fresh.sessions.countMax)
    }

    @Test func `a session outlives its client's longest wait`() {
        #expect(ClientWait.secondsMax < fresh.sessions.idleTimeout.wholeSeconds)
        #expect(
            IdleSessions.checkIntervalSecondsMax < Double(fresh.sessions.idleTimeout.wholeSeconds)
        )
    }

    @Test func `a stop ends before its supervisor kills the process`() {
        // The command docker stop waits for 10 s, and Kubernetes and systemd wait longer.
        #expect(fresh.shutdownTimeout <= .seconds(10))
    }
}
