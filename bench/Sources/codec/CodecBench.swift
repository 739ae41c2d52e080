import Foundation
import Harness
import StoreJSON

// Measures plain `Codable` types with this project's strict codec, and with Foundation's codec.

struct Document: Codable, Equatable {
    struct Item: Codable, Equatable {
        var id: Int
        var title: String
        var done: Bool
        var score: Double
    }

    var version: Int
    var name: String
    var items: [Item]

    init(items count: Int) {
        version = 42
        name = "store"
        items = (0..<count).map {
            Item(
                id: $0,
                title: "Item number \($0)",
                done: $0 % 3 == 0,
                score: Double($0 % 1000) + 0.25
            )
        }
    }
}

struct Action: Codable, Equatable {
    var id: Int
    var text: String
    var quantity: Int
}

@main
enum CodecBench {
    static func main() throws {
        print("size        job     own µs  Foundation µs      ×   own MB/s")
        try race(Action(id: 17, text: "Pet my unicorn", quantity: 3), goal: (6, 5))
        try race(Document(items: 3), goal: (6, 5))
        try race(Document(items: 150), goal: (6, 5))
        try race(Document(items: 15_000), goal: (6, 5))
    }

    static func race<T: Codable & Equatable>(
        _ value: T,
        goal: (encode: Double, decode: Double)
    ) throws {
        let own = (
            encoder: StoreJSON.JSONEncoder(), decoder: StoreJSON.JSONDecoder(limits: .unbounded)
        )
        let theirs = (encoder: Foundation.JSONEncoder(), decoder: Foundation.JSONDecoder())
        theirs.encoder.outputFormatting = .withoutEscapingSlashes
        let bytes = try own.encoder.encode(value)
        let data = Data(bytes)
        let crossed = Array(try theirs.encoder.encode(value))
        let readBack = [
            try own.decoder.decode(T.self, from: bytes),
            try own.decoder.decode(T.self, from: crossed),
            try theirs.decoder.decode(T.self, from: data),
        ]
        precondition(readBack.allSatisfy { $0 == value }, "The two codecs must agree.")
        report(
            "encode",
            bytes.count,
            goal.encode,
            Race().run([
                .init("own") { keep(try? own.encoder.encode(value)) },
                .init("Foundation") { keep(try? theirs.encoder.encode(value)) },
            ])
        )
        report(
            "decode",
            bytes.count,
            goal.decode,
            Race().run([
                .init("own") { keep(try? own.decoder.decode(T.self, from: bytes)) },
                .init("Foundation") { keep(try? theirs.decoder.decode(T.self, from: data)) },
            ])
        )
    }

    static func report(_ job: String, _ count: Int, _ goal: Double, _ results: [Race.Result]) {
        let (own, theirs) = (results[0].nanoseconds, results[1].nanoseconds)
        print(
            String(
                format: "%8d B  %@  %9.2f  %13.2f  %5.1f  %9.0f%@",
                count,
                job,
                own / 1e3,
                theirs / 1e3,
                theirs / own,
                Double(count) / own * 1e3,
                theirs / own < goal ? "  below the goal of \(goal)" : ""
            )
        )
    }
}
