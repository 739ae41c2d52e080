// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Guestbook",
    dependencies: [.package(name: "StoreServer", path: "../..")],
    targets: [
        .executableTarget(
            name: "Guestbook",
            dependencies: [.product(name: "StoreServer", package: "StoreServer")]
        ),
        .testTarget(
            name: "GuestbookTests",
            dependencies: ["Guestbook", .product(name: "StoreTesting", package: "StoreServer")]
        ),
    ]
)
