import StoreCore
import StoreJSON
import StoreJSONSchema
import Testing

@Suite struct InstancesTests {
    private typealias Numbers = Instances<Number>

    private struct Number: ModuleState {
        var n: Int
    }

    private func instances(_ ids: String...) -> Numbers {
        var instances = Numbers()
        for (number, id) in ids.enumerated() { instances[id] = Number(n: number) }
        return instances
    }

    private func json(_ instances: Numbers) throws -> String {
        String(decoding: try JSONEncoder().encode(instances), as: UTF8.self)
    }

    @Test func `instances are written as an object in the order of their ids`() throws {
        let ids = ["10", "9", "a/b", "~", "\"", "\\", "\u{1}", "é", "\u{1f600}"]
        var instances = Numbers()
        for (number, id) in ids.enumerated() { instances[id] = Number(n: number) }
        let written = try json(instances)
        let plain = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, Number(n: $0)) })
        #expect(try written == String(decoding: JSONEncoder().encode(plain), as: UTF8.self))
        let read = try JSONDecoder().decode(Numbers.self, from: Array(written.utf8))
        #expect(read == instances)
        #expect(read.ids == instances.ids)
        #expect(try json(Numbers()) == "{}")
        #expect(try JSONDecoder().decode(Numbers.self, from: Array("{}".utf8)).isEmpty)
    }

    @Test func `ids that only look alike are two, also after encoding`() throws {
        let instances = instances("\u{e9}", "e\u{301}")
        #expect(instances.count == 2)
        let read = try JSONDecoder().decode(Numbers.self, from: Array(try json(instances).utf8))
        #expect(read == instances)
        #expect(read["\u{e9}"] == Number(n: 0))
        #expect(read["e\u{301}"] == Number(n: 1))
    }

    @Test func `instances are equal if their ids and slices are, by any way`() {
        var one = instances("a", "b", "c")
        var other = instances("c", "b", "a")
        #expect(one != other)
        other["a"] = Number(n: 0)
        other["c"] = Number(n: 2)
        #expect(one == other)
        one["c"] = nil
        #expect(one != other)
        one["d"] = Number(n: 2)
        #expect(one != other)
        #expect(instances("\u{e9}") != instances("e\u{301}"))
    }

    @Test func `a copy of instances stays the same`() {
        var instances = instances("a", "b")
        let copy = instances
        instances["a"] = Number(n: 7)
        instances["b"] = nil
        #expect(copy["a"] == Number(n: 0))
        #expect(copy.ids == ["a", "b"])
        #expect(instances.ids == ["a"])
    }

    @Test func `the schema has a form for every id`() {
        let schema = JSONSchemaDocument(of: [Numbers.self]).roots[0]
        #expect(schema == JSONSchemaDocument(of: [[String: Number].self]).roots[0])
    }
}
