package import StoreActionCatalog
package import StoreCore
package import StoreJSON
package import StoreJSONSchema

/// Makes the links of actions in views: `/dispatch?action=…`, with the action's JSON.
package struct ActionLinker: ActionHrefs {
    private let links: Links
    private let actions: ActionTable
    private let encoder: JSONEncoder
    /// The maximum number of bytes of a link. The server refuses a request with a longer target.
    private let hrefBytesMax: Int

    package init(_ links: Links, _ actions: ActionTable, _ encoder: JSONEncoder, bytesMax: Int) {
        self.links = links
        self.actions = actions
        self.encoder = encoder
        self.hrefBytesMax = bytesMax
    }

    package func href(of action: any Action) throws -> String {
        let member = try member(of: action)
        guard let found = actions[member.type] else {
            throw ActionLinkError(
                "a link to '\(member.type)' names no instance of its module; address the action with "
                    + "to(_:)"
            )
        }
        let path: String
        switch found.access {
        case .everybody: path = links.dispatch
        case .views: path = links.ui(of: found.module ?? "", instance: found.instance)
        case .program:
            throw ActionLinkError(
                "a link to '\(member.type)' leads nowhere: no client may dispatch that action"
            )
        }
        let href = path + "?action=" + PercentEncoding.encode(Self.text(of: member))
        guard href.utf8.count <= hrefBytesMax else {
            throw ActionLinkError(
                "a link to '\(member.type)' has \(href.utf8.count) bytes, and a request's target "
                    + "has at most \(hrefBytesMax); bind smaller arguments"
            )
        }
        return href
    }

    private func member(of action: any Action) throws -> EnvelopeMember {
        do {
            return try actions.member(of: action, encoder)
        } catch {
            throw ActionLinkError("a link to \(type(of: action)) can't be made: \(error)")
        }
    }

    /// Returns the action as JSON, as in the body of a request.
    private static func text(of member: EnvelopeMember) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("type", member.type)
            if member.payload.count > 2 {
                json.key("payload")
                json.raw(member.payload)
            }
        }
        return String(decoding: json.byteArray, as: UTF8.self)
    }
}

extension JSONEncoder {
    /// Returns an encoder for views. In an encoded view, the links have the addresses that
    /// `actions` makes.
    package func linking(to actions: ActionLinker) -> JSONEncoder {
        var encoder = self
        encoder.userInfo[ActionLink.hrefsKey] = actions
        return encoder
    }
}

extension JSONSchema {
    /// The schema of a link in a view, under the name of the link's type.
    package static let linkDefinitions: [Property] = [
        Property(
            "ActionLink",
            .object([.init("href", .string()), .init("method", .stringEnum(["POST"]))])
        )
    ]
}
