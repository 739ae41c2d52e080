import Testing

@testable import StoreAuthorization

@Suite struct PolicyTests {
    @Test func `without a policy anonymous may do all but debug and see all sessions`() throws {
        let role = try #require(Policy.withoutFile.role("anonymous"))
        #expect(role.seesEverything && role.readsLog && role.seesViews && role.mayDispatch)
        #expect(!role.seesAllSessions)
        for group in RouteGroupName.allCases {
            #expect(role.mayUse(group) == (group != .debug && group != .operate))
        }
        #expect(role.denial(ofActionAt: 7, "any", nil, principal: "ann") == nil)
        #expect(role.sees(view: "any") && role.sees(member: "any"))
        #expect(role.mayCall(useCase: "any/thing") && role.mayNotify("any"))
        #expect(Policy.withoutFile.role("operator") == nil)
        let operating = Policy.withoutFile(adding: [.debug, .operate]).role("anonymous")
        #expect(operating?.seesAllSessions == true && operating?.mayUse(.debug) == true)
    }
}
