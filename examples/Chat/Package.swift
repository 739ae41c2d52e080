// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Chat",
    dependencies: [.package(name: "StoreServer", path: "../..")],
    targets: [
        .executableTarget(
            name: "Chat",
            dependencies: [
                .product(name: "StorePatterns", package: "StoreServer"),
                .product(name: "StoreServer", package: "StoreServer"),
            ]
        ),
        .testTarget(
            name: "ChatTests",
            dependencies: ["Chat", .product(name: "StoreTesting", package: "StoreServer")]
        ),
    ]
)
