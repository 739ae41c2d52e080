import StoreCore
import StoreWire

extension RegisteredType {
    /// Where a type's actions belong.
    struct Place {
        let module: String
        var access = ActionAccess.everybody
        let isForInstances: Bool

        /// What a case of an enum looks like on the wire.
        func form(
            of choice: EnumForm.Case,
            _ type: any (Decodable & SendableMetatype).Type
        ) -> ActionForm {
            guard isForInstances else {
                return ActionForm(choice.wireName(in: module), type, caseName: choice.key)
            }
            return form(choice.key, type, caseName: choice.key)
        }

        /// What a name's last part looks like on the wire.
        func form(
            _ name: String,
            _ type: any (Decodable & SendableMetatype).Type,
            caseName: String? = nil
        ) -> ActionForm {
            guard isForInstances else {
                return ActionForm("\(module)/\(name)", type, caseName: caseName)
            }
            return ActionForm(
                "\(module)/{id}/\(name)",
                type,
                caseName: caseName,
                pattern: "^\(module)/.{1,\(InstanceID.bytesMax)}/\(name)$"
            )
        }
    }
}
