import StoreAuthorization
import StoreJSON
import StoreTexts

/// A role of an accepted policy file. Its answers come from the texts of its grants alone.
struct PlainRole {
    private let lists: [(name: String, grants: [JSONTree])]

    init(_ role: JSONTree) {
        guard case .object(let members) = role else { fatalError("A role is an object.") }
        lists = members.map { name, value in
            guard case .array(let grants) = value else { fatalError("\(name) is a list.") }
            return (name, grants)
        }
    }

    private init(_ lists: [(name: String, grants: [JSONTree])]) { self.lists = lists }

    /// The same role without one grant, for each of its grants.
    var withOneLess: [PlainRole] {
        lists.indices.flatMap { list in
            lists[list].grants.indices.map { grant in
                var lists = lists
                lists[list].grants.remove(at: grant)
                return PlainRole(lists)
            }
        }
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        JSONTree.object(lists.map { ($0.name, .array($0.grants)) }).write(to: &writer)
        return writer.byteArray
    }

    func has(_ list: String, _ text: String) -> Bool {
        grants(of: list).contains { $0 == .string(text) }
    }

    private func grants(of list: String) -> [JSONTree] {
        lists.first { $0.name.isSame(as: list) }?.grants ?? []
    }

    func sees(member: String) -> Bool {
        let escaped = member.replacing("~", with: "~0").replacing("/", with: "~1")
        return has("read", "*") || has("read", "/*") || has("read", "/" + escaped)
    }

    func sees(view: String) -> Bool {
        has("read", "*") || has("read", "views/*") || has("read", "views/" + view)
    }

    func calls(_ kind: String, _ name: String) -> Bool {
        has("call", "*") || has("call", kind + "/*") || has("call", kind + "/" + name)
    }

    func uses(_ group: String) -> Bool { has("use", "*") || has("use", group) }

    func may(_ action: PolicyAction, _ payload: JSONTree?, as principal: String) -> Bool {
        guard action.isForClients else { return false }
        let types = ["*", action.name] + (action.module.map { [$0 + "/*"] } ?? [])
        return grants(of: "dispatch").contains { grant in
            guard case .object(let members) = grant else {
                return types.contains { grant == .string($0) }
            }
            guard let type = members.first(where: { $0.name.isSame(as: "type") })?.value,
                types.contains(where: { type == .string($0) }),
                case .object(let conditions) = members.first(where: {
                    $0.name.isSame(as: "where")
                })?.value
            else { return false }
            return conditions.allSatisfy { pointer, wanted in
                let found = payload?.value(at: pointer)
                return found == (wanted == .string("$principal") ? .string(principal) : wanted)
            }
        }
    }
}

extension JSONTree {
    /// Returns the value that a pointer leads to.
    fileprivate func value(at pointer: String) -> JSONTree? {
        let tokens = pointer.utf8.split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        ).dropFirst().map {
            String(decoding: $0, as: UTF8.self).replacing("~1", with: "/").replacing(
                "~0",
                with: "~"
            )
        }
        var value = self
        for token in tokens {
            switch value {
            case .object(let members):
                guard let next = members.first(where: { $0.name.isSame(as: token) }) else {
                    return nil
                }
                value = next.value
            case .array(let elements):
                guard let index = Int(token), String(index) == token,
                    elements.indices.contains(index)
                else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }
}
