import Testing

@testable import StoreWire

@Suite struct EntityTagConditionTests {
    @Test func `a condition may be a star, a tag, or a list with weak tags and gaps`() {
        #expect(EntityTagCondition(" * ") == .any)
        #expect(EntityTagCondition("\"a:1\"") == .list([EntityTag(opaqueTag: "a:1")]))
        #expect(
            EntityTagCondition(" ,\"a\" ,, W/\"b\"\t,\"\",")
                == .list([
                    EntityTag(opaqueTag: "a"), EntityTag(opaqueTag: "b", isWeak: true),
                    EntityTag(opaqueTag: ""),
                ])
        )
        #expect(EntityTagCondition("\"a\\\"") == .list([EntityTag(opaqueTag: "a\\")]))
        let commas = [EntityTag(opaqueTag: "a,b"), EntityTag(opaqueTag: "c")]
        #expect(EntityTagCondition("\"a,b\",\"c\"") == .list(commas))
    }

    @Test(arguments: [
        "", " ", ",", "a", "4f1c09ab:42", "\"a", "a\"", "\"a\"\"b\"", "w/\"a\"", "W/a", "W \"a\"",
        "*, \"a\"", "\"a\", *", "**", "\"a b\"", "\"a\u{1}\"", "\"a\u{7F}\"",
    ])
    func `a text that is no list of tags is refused`(text: String) {
        #expect(EntityTagCondition(text) == nil)
    }

    @Test func `a condition is met by any of its tags, and by anything if it is a star`() {
        let isStrong = { (tag: EntityTag) in !tag.isWeak && tag.opaqueTag == "a" }
        let isEither = { (tag: EntityTag) in tag.opaqueTag == "a" }
        let weak = EntityTagCondition("W/\"a\"")

        #expect(weak?.isMet(by: isStrong) == false)
        #expect(weak?.isMet(by: isEither) == true)
        #expect(EntityTagCondition("\"b\", \"a\"")?.isMet(by: isStrong) == true)
        #expect(EntityTagCondition("\"b\"")?.isMet(by: isEither) == false)
        #expect(EntityTagCondition("*")?.isMet(by: isStrong) == true)
    }

    @Test func `a list beyond the bound of tags is refused`() {
        let full = Array(repeating: "\"a\"", count: EntityTagCondition.tagsMax)

        #expect(EntityTagCondition(full.joined(separator: ",")) != nil)
        #expect(EntityTagCondition((full + ["\"a\""]).joined(separator: ",")) == nil)
    }
}
