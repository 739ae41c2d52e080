import Testing

@testable import StoreWire

@Suite struct TagTests {
    @Test(arguments: [UInt64(0), 1, 42, .max])
    func `protocol 1.1: a tag is read back as it was written`(version: UInt64) {
        let tag = Tag(epoch: Epoch(rawValue: 0x4f1c_09ab), version: version)

        #expect(tag.description == "4f1c09ab:\(version)")
        #expect(Tag(tag.description) == tag)
        #expect(tag.etag == "\"4f1c09ab:\(version)\"")
        #expect(tag.description.utf8.count <= Tag.bytesMax)
    }

    @Test func `an epoch keeps its leading zeros`() {
        #expect(Epoch(rawValue: 0xa).description == "0000000a")
        #expect(Epoch("0000000a") == Epoch(rawValue: 0xa))
    }

    @Test(arguments: [
        "", ":", "4f1c09ab", "4f1c09ab:", ":42", "4f1c09ab:042", "4f1c09ab:00", "4F1C09AB:42",
        "4f1c09a:42", "4f1c09abc:42", "4f1c09ab:-1", "4f1c09ab:+1", "4f1c09ab:1 ", " 4f1c09ab:1",
        "4f1c09ab:1:2", "4f1c09ab:18446744073709551616", "4f1c09ab:99999999999999999999",
        "4f1c09ag:1", "4f1c09ab:٤", "\"4f1c09ab:1\"", "4f1c09ab:1\n",
    ])
    func `a tag has one spelling`(text: String) {
        #expect(Tag(text) == nil)
    }

    @Test func `a weak entity tag names no version`() {
        #expect(Tag(EntityTag(opaqueTag: "4f1c09ab:1")) != nil)
        #expect(Tag(EntityTag(opaqueTag: "4f1c09ab:1", isWeak: true)) == nil)
    }
}
