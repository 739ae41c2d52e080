import StoreTestSupport
import Testing

@testable import StoreAuthorization

@Suite struct PropertyTests {
    /// Random policies, and every question about each. The roles' tables, the explainer and the
    /// reference have to agree.
    @Test(arguments: [UInt64](1...20))
    func `tables and explanations agree with the texts of the grants`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for _ in 0..<40 {
            let reference = ReferencePolicy.random(&random)
            let file = try PolicyFile(parsing: Array(reference.json.utf8), for: [yard])
            let role = try #require(Policy(file, in: yard).role("r"))
            let explainer = PolicyExplainer(file, in: yard)
            try compareRoutes(role, explainer, reference)
            for _ in 0..<8 { try compareActions(role, explainer, reference, &random) }
        }
    }

    private func compareRoutes(
        _ role: Role,
        _ explainer: PolicyExplainer,
        _ reference: ReferencePolicy
    ) throws {
        func allows(_ path: String, _ method: String? = nil) throws -> Bool {
            try explainer.explain(.path(path, method: method), as: "r").isAllowed
        }
        for member in yard.members where member != "a/b" {
            let expected = reference.sees(member: member)
            #expect(role.sees(member: member) == expected, "\(reference.json)")
            #expect(try allows("/state/" + member) == expected)
        }
        #expect(try allows("/state") == role.seesState)
        #expect(role.seesState == yard.members.contains { reference.sees(member: $0) })
        #expect(role.seesEverything == yard.members.allSatisfy { reference.sees(member: $0) })
        for view in yard.views {
            #expect(role.sees(view: view) == reference.sees(view: view), "\(reference.json)")
            #expect(try allows("/views/" + view) == reference.sees(view: view))
        }
        #expect(try allows("/views") == role.seesViews)
        #expect(role.readsLog == !reference.read.filter { ["*", "log"].contains($0) }.isEmpty)
        #expect(try allows("/actions") == role.readsLog)
        for path in yard.useCases {
            #expect(role.mayCall(useCase: path) == reference.calls("usecases", path))
            #expect(try allows("/usecases/" + path) == reference.calls("usecases", path))
        }
        for name in yard.notifications {
            #expect(role.mayNotify(name) == reference.calls("notify", name))
            #expect(try allows("/notify/" + name) == reference.calls("notify", name))
        }
        for group in RouteGroupName.allCases {
            #expect(role.mayUse(group) == reference.uses(group.rawValue))
        }
        #expect(try allows("/metrics") == reference.uses("metrics"))
        #expect(try allows("/dispatch") == role.mayDispatch)
    }

    private func compareActions(
        _ role: Role,
        _ explainer: PolicyExplainer,
        _ reference: ReferencePolicy,
        _ random: inout SplitMix
    ) throws {
        var payload: [String: String]?
        if Int.random(in: 0..<8, using: &random) > 0 {
            var members: [String: String] = [:]
            for name in ReferencePolicy.members where Bool.random(using: &random) {
                members[name] = ReferencePolicy.values.randomElement(using: &random)
            }
            payload = members
        }
        let principal = ["ann", "1", "eve"].randomElement(using: &random) ?? "ann"
        let json = payload.map { members in
            "{" + members.map { "\"\($0.dropFirst())\": \($1)" }.joined(separator: ",") + "}"
        }
        for action in yard.actions {
            let expected = reference.may(action, payload, as: principal)
            let comment = "\(reference.json) \(action.name) \(json ?? "none") \(principal)"
            #expect(try role.may(action.name, json, as: principal) == expected, "\(comment)")
            let question = PolicyQuestion.action(
                action.name,
                payload: json.map { Array($0.utf8) },
                principal: principal
            )
            #expect(try explainer.explain(question, as: "r").isAllowed == expected, "\(comment)")
        }
    }

    /// Bytes of any kind are read or refused, and a second read has the same result.
    @Test(arguments: [UInt64](1...10))
    func `a file that was changed at random is read or refused in words`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<300 {
            var bytes = Array(ReferencePolicy.random(&random).json.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default:
                    bytes.insert(
                        contentsOf: Array(#"/*"{}[],:"#.utf8).shuffled(using: &random).prefix(1),
                        at: place
                    )
                }
            }
            do {
                _ = try Policy(parsing: bytes, in: yard)
            } catch {
                #expect(!error.faults.isEmpty)
                #expect(error.faults.allSatisfy { !$0.message.isEmpty })
            }
        }
    }
}
