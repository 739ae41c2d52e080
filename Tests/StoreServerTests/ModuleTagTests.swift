import DefaultStore
import Dispatch
import Glibc
import StoreCore
import StoreHTTPTransport
import StorePlatform
import Synchronization
import Testing

@testable import StoreHTTP
@testable import StoreHistory
@testable import StoreJSON
@testable import StorePublishing
@testable import StoreServer

@Suite struct ModuleTagTests {
    /// Returns the number after the last `:`, or the number in the counter's member.
    private func number(in text: String, after mark: String) -> Int? {
        text.split(separator: mark).last.flatMap { Int($0.prefix { $0.isNumber }) }
    }

    @Test func `a slice's bytes and its tag are of the same version during dispatches`() throws {
        let server = try InProcessServer()
        let stop = Atomic(false)
        let ended = DispatchSemaphore(value: 0)
        SystemThread.start(name: "dispatches") {
            [core = server.core, reader = server.store.reader] in
            // Actions come one at a time, so that each makes a published version.
            while !stop.load(ordering: .relaxed) {
                let version = reader.version
                _ = core.dispatch(Counter.Action.increaseRequested)
                while reader.version == version, !stop.load(ordering: .relaxed) {
                    sched_yield()
                }
            }
            ended.signal()
        }
        defer {
            stop.store(true, ordering: .relaxed)
            #expect(ended.wait(timeout: .now() + 60) == .success)
        }
        for _ in 0..<10_000 {
            let answer = try server.answer("GET", "/modules/counter")
            let etag = try #require(answer.headers.first { $0.0 == "ETag" }?.1)
            guard case .shared(let bytes) = answer.body else { throw InProcessServer.Unanswered() }
            let body = String(decoding: bytes.array, as: UTF8.self)
            try #require(number(in: etag, after: ":") == number(in: body, after: "\"counter\":"))
        }
    }
}
