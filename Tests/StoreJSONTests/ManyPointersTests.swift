import StoreJSON
import Testing

@Suite struct ManyPointersTests {
    private let text = """
        {"a":{"x":1,"y":[10,20,{"z":true}],"é":2},"b":[0,1,2,3,4,5,6,7,8,9],"":{"":null},"c/d":3}
        """
    private let ways = [
        "", "/a", "/a/x", "/a/y/2/z", "/a/y/3", "/a/e\u{301}", "/a/\u{e9}", "/b/0", "/b/9", "/b/10",
        "/b/-", "/b/00", "/b/1/2", "/b/x", "//", "/", "/c~1d", "/nothing", "/nothing/at/all",
    ]

    @Test(arguments: [1, 3, 19])
    func `many pointers at once find the values that each finds alone`(count: Int) throws {
        let document = try JSONDocument(parsing: Array(text.utf8), limits: JSONLimits())
        for start in stride(from: 0, to: ways.count, by: count) {
            let pointers = try ways[start..<min(start + count, ways.count)].map {
                try #require(JSONPointer($0))
            }
            let found = JSONPointer.find(pointers, from: document.root).map { $0?.sourceText }
            #expect(found == pointers.map { $0.find(in: document)?.sourceText })
        }
    }

    @Test func `the same pointer twice leads to the same place`() throws {
        let document = try JSONDocument(parsing: Array(text.utf8), limits: JSONLimits())
        let pointer = try #require(JSONPointer("/a/x"))
        let found = JSONPointer.find([pointer, pointer], from: document.root)
        #expect(found.map { $0?.sourceText } == ["1", "1"])
    }
}
