import StorePlatform
import Synchronization
import Testing

@testable import StoreHTTP
@testable import StoreServer

@Suite struct SessionTableTests {
    /// A clock that a test sets, in seconds.
    private final class Time: Sendable {
        private let seconds = Locked(1_000.0)

        func move(by more: Double) { seconds.withLock { $0 += more } }
        var nanoseconds: Int64 { seconds.withLock { Int64($0 * 1e9) } }
    }

    private let time = Time()

    private func table(
        _ names: [String] = [],
        sessionsMax: Int = 100,
        perAddressMax: Int = 100
    ) -> SessionTable {
        SessionTable(
            names,
            sessionsMax: sessionsMax,
            sessionsPerAddressMax: perAddressMax,
            idleSeconds: 10,
            now: { [time] in time.nanoseconds }
        )
    }

    @Test func `an idle session ends after its time`() throws {
        let table = table()
        try table.begin("idle", from: "a")
        try table.begin("busy", from: "a")
        for _ in 0..<3 {
            time.move(by: 5)
            #expect(table.useIfOpen("busy"))
        }
        #expect(table.beginEndingIdle(max: 10) == ["idle"])
        #expect(!table.useIfOpen("idle") && table.useIfOpen("busy"))
        time.move(by: 9.9)
        #expect(table.beginEndingIdle(max: 10).isEmpty)
        time.move(by: 0.2)
        #expect(table.beginEndingIdle(max: 10) == ["busy"])
    }

    @Test func `a hold keeps a session, and its end restarts the session's time`() throws {
        let table = table()
        try table.begin("ada", from: "a")
        let stream = table.hold("ada")
        let request = table.hold("ada")
        time.move(by: 100)
        #expect(table.beginEndingIdle(max: 10).isEmpty)
        request?.end()
        request?.end()
        time.move(by: 100)
        #expect(table.beginEndingIdle(max: 10).isEmpty)
        stream?.end()
        time.move(by: 9)
        #expect(table.beginEndingIdle(max: 10).isEmpty)
        time.move(by: 2)
        #expect(table.beginEndingIdle(max: 10) == ["ada"])
    }

    @Test func `a released hold ends`() throws {
        let table = table()
        try table.begin("ada", from: "a")
        do { #expect(table.hold("ada") != nil) }
        time.move(by: 11)
        #expect(table.beginEndingIdle(max: 10) == ["ada"])
        #expect(table.hold("ada") == nil)
    }

    @Test func `an address has a bound of sessions, and others have their own`() throws {
        let table = table(perAddressMax: 2)
        try table.begin("1", from: "a")
        try table.begin("2", from: "a")
        #expect(throws: SessionTable.FullError.addressFull) { try table.begin("3", from: "a") }
        try table.begin("3", from: "b")
        table.remove("1")
        table.remove("1")
        try table.begin("4", from: "a")
        #expect(throws: SessionTable.FullError.addressFull) { try table.begin("5", from: "a") }
        time.move(by: 11)
        #expect(table.beginEndingIdle(max: 10).sorted() == ["2", "3", "4"])
        try table.begin("5", from: "a")
        try table.begin("6", from: "a")
    }

    @Test func `all addresses together have a bound of sessions`() throws {
        let table = table(["old"], sessionsMax: 2)
        try table.begin("1", from: "a")
        #expect(throws: SessionTable.FullError.full) { try table.begin("2", from: "b") }
        table.remove("old")
        try table.begin("2", from: "b")
    }

    @Test func `many idle sessions end in turns, and the next check has its time`() throws {
        let table = table((0..<1_000).map(String.init), sessionsMax: 2_000)
        #expect(table.secondsUntilIdle == 10)
        time.move(by: 4)
        #expect(table.secondsUntilIdle == 6)
        time.move(by: 7)
        #expect(table.secondsUntilIdle == 0)
        var ended: [String] = []
        while case let some = table.beginEndingIdle(max: 256), !some.isEmpty {
            #expect(some.count <= 256)
            ended += some
        }
        #expect(Set(ended).count == 1_000)
        #expect(table.secondsUntilIdle == 10)
    }

    @Test func `a session whose end was not applied goes on, and its end is tried again`() throws {
        let table = table(perAddressMax: 1)
        try table.begin("ada", from: "a")
        time.move(by: 11)
        #expect(table.beginEndingIdle(max: 10) == ["ada"])
        // A session that is ending takes no request and no room, and ends once.
        #expect(!table.useIfOpen("ada") && table.hold("ada") == nil)
        #expect(table.beginEndingIdle(max: 10).isEmpty)
        try table.begin("bob", from: "a")
        table.remove("bob")
        table.cancelEnding("ada")
        table.cancelEnding("ada")
        #expect(throws: SessionTable.FullError.addressFull) { try table.begin("bob", from: "a") }
        #expect(table.secondsUntilIdle == 0)
        #expect(table.beginEndingIdle(max: 10) == ["ada"])
        table.cancelEnding("ada")
        #expect(table.useIfOpen("ada"))
        #expect(table.beginEndingIdle(max: 10).isEmpty)
    }

    @Test func `a session that a client ends is not idle meanwhile`() throws {
        let table = table()
        try table.begin("ada", from: "a")
        table.beginEnding("ada")
        time.move(by: 11)
        #expect(table.beginEndingIdle(max: 10).isEmpty)
        table.cancelEnding("ada")
        #expect(table.useIfOpen("ada"))
        table.beginEnding("ada")
        table.remove("ada")
        time.move(by: 100)
        #expect(table.beginEndingIdle(max: 10).isEmpty && !table.useIfOpen("ada"))
    }
}
