#include "core/engine/sweepjournal.h"

#include "core/formats/hash.h"
#include "core/formats/jsonfile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace headscope {
namespace {

using JsonValue = nlohmann::json;

// A file is a list of records, the first of which says what the sweep is. A record: its length (eight bytes, least
// significant first), the hash of its content (32 digits), the content (JSON).
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kHashBytes = 32;
constexpr const char *kFormat = "headscope-sweep";
constexpr int kVersion = 1;

std::string hashOf(std::string_view bytes)
{
    Hasher hasher;
    hasher.add(bytes);
    return hasher.hex();
}

Error systemError(const std::filesystem::path &file, const char *what)
{
    return resourceError(fmt::format("{}: cannot {}: {}.", file.string(), what, std::strerror(errno)));
}

/// A file that one program at a time writes.
class RecordFile
{
public:
    struct Place
    {
        std::int64_t offset = 0; ///< of the content
        std::int64_t length = 0;
    };

    RecordFile(std::filesystem::path path, int descriptor) : m_path(std::move(path)), m_descriptor(descriptor) { }
    ~RecordFile() { close(m_descriptor); }
    RecordFile(const RecordFile &) = delete;
    RecordFile &operator=(const RecordFile &) = delete;

    const std::filesystem::path &path() const { return m_path; }

    static Result<std::unique_ptr<RecordFile>> open(const std::filesystem::path &path, int flags)
    {
        const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
        if (descriptor < 0)
            return systemError(path, "open it");
        auto file = std::make_unique<RecordFile>(path, descriptor);
        struct stat facts
        {
        };
        if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode))
            return badInput(path.string() + " is not a regular file.");
        const bool writes = (flags & O_ACCMODE) != O_RDONLY;
        if (flock(descriptor, (writes ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0)
            return badInput(path.string()
                            + " is being written by another program. Wait for it, or choose "
                              "another file.");
        file->m_size = facts.st_size;
        return file;
    }

    /// The next record from `offset`; none: what is there is not whole.
    std::optional<std::pair<Place, JsonValue>> next(std::int64_t offset) const
    {
        std::array<char, kLengthBytes + kHashBytes> head{};
        if (!readAt(offset, head))
            return std::nullopt;
        std::uint64_t length = 0;
        for (std::size_t i = 0; i < kLengthBytes; ++i)
            length |= static_cast<std::uint64_t>(static_cast<unsigned char>(head[i])) << (8 * i);
        const std::int64_t begin = offset + std::ssize(head);
        if (length > static_cast<std::uint64_t>(m_size - begin))
            return std::nullopt;
        const Place place{begin, static_cast<std::int64_t>(length)};
        const auto content = read(place);
        if (!content || hashOf(*content) != std::string_view(head.data() + kLengthBytes, kHashBytes))
            return std::nullopt;
        auto value = parseJson(*content, m_path.string());
        return value.isOk() ? std::optional(std::pair(place, std::move(value).value())) : std::nullopt;
    }
    std::optional<std::string> read(const Place &place) const
    {
        std::string content(static_cast<std::size_t>(place.length), '\0');
        return readAt(place.offset, content) ? std::optional(std::move(content)) : std::nullopt;
    }
    std::int64_t size() const { return m_size; }

    Result<Done> cutTo(std::int64_t size)
    {
        if (ftruncate(m_descriptor, size) != 0)
            return systemError(m_path, "remove the incomplete block of an interrupted run");
        m_size = size;
        return Done{};
    }
    Result<Place> append(const JsonValue &value)
    {
        const std::string content = value.dump();
        std::string bytes;
        for (std::size_t i = 0; i < kLengthBytes; ++i)
            bytes += static_cast<char>(content.size() >> (8 * i));
        bytes += hashOf(content);
        bytes += content;
        for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t written = pwrite(m_descriptor, bytes.data() + done, bytes.size() - done,
                                           m_size + static_cast<std::int64_t>(done));
            if (written < 0 && errno == EINTR)
                continue;
            if (written <= 0)
                return systemError(m_path, "write the computed block; earlier blocks are kept");
            done += static_cast<std::size_t>(written);
        }
        if (fdatasync(m_descriptor) != 0)
            return systemError(m_path, "write the computed block; earlier blocks are kept");
        const Place place{m_size + static_cast<std::int64_t>(kLengthBytes + kHashBytes), std::ssize(content)};
        m_size += std::ssize(bytes);
        return place;
    }

private:
    bool readAt(std::int64_t offset, std::span<char> bytes) const
    {
        for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t got = pread(m_descriptor, bytes.data() + done, bytes.size() - done,
                                      offset + static_cast<std::int64_t>(done));
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                return false;
            done += static_cast<std::size_t>(got);
        }
        return true;
    }

    std::filesystem::path m_path;
    int m_descriptor;
    std::int64_t m_size = 0;
};

JsonValue toJson(const SweepIdentity &sweep)
{
    return {{"format", kFormat},
            {"version", kVersion},
            {"key", sweep.key},
            {"variants", sweep.variants},
            {"blocks", sweep.blocks}};
}

JsonValue toJson(const PrecisionCheck &precision)
{
    JsonValue tiers = JsonValue::array();
    for (const PrecisionCheck::Tier &tier : precision.tiers)
        tiers.push_back({tier.products, tier.error, tier.allowed, tier.passedOn});
    return {{"runs", precision.runs}, {"tiers", tiers}};
}

JsonValue toJson(std::size_t block, const SweptBlock &content)
{
    JsonValue variants = JsonValue::array();
    for (const SweptBlock::Changes &one : content.variants)
        variants.push_back({one.variant, one.changed, one.rows, one.values});
    return {{"block", block},
            {"columns", content.columns},
            {"baseline", content.baseline},
            {"variants", std::move(variants)},
            {"proof", toJson(content.precision)}};
}

/// Throws nlohmann's exceptions where a member is missing or of another kind.
SweepIdentity sweepFrom(const JsonValue &value)
{
    if (value.at("format") != kFormat || value.at("version") != kVersion)
        throw JsonValue::other_error::create(501, "not a sweep of this version", nullptr);
    return {value.at("key"), value.at("variants"), value.at("blocks").get<std::vector<std::int64_t>>()};
}

SweptBlock blockFrom(const JsonValue &value)
{
    SweptBlock content{
        .columns = value.at("columns"), .baseline = value.at("baseline"), .variants = {}, .precision = {}};
    for (const JsonValue &one : value.at("variants"))
        content.variants.push_back({one.at(0), one.at(1), one.at(2), one.at(3)});
    content.precision.runs = value.at("proof").at("runs");
    for (const JsonValue &tier : value.at("proof").at("tiers"))
        content.precision.tiers.push_back({tier.at(0), tier.at(1), tier.at(2), tier.at(3)});
    return content;
}

/// Whether a block of so many examples and variants can have come to this.
bool isSound(const SweptBlock &content, std::int64_t examples, std::int64_t variants)
{
    const auto rows = [&](std::size_t values) {
        return content.columns > 0 ? static_cast<std::int64_t>(values) / content.columns : -1;
    };
    return rows(content.baseline.size()) == examples
        && std::ranges::all_of(content.variants, [&](const SweptBlock::Changes &one) {
               return one.variant >= 0 && one.variant < variants && rows(one.values.size()) == std::ssize(one.rows)
                   && std::ranges::all_of(one.rows, [&](std::int64_t row) { return row >= 0 && row < examples; });
           });
}

} // namespace

struct SweepJournal::Impl
{
    std::unique_ptr<RecordFile> file;
    SweepIdentity sweep;
    std::map<std::size_t, RecordFile::Place> places;

    /// Reads a file that has something: what its records are. Returns where they end.
    Result<std::int64_t> scan()
    {
        const Error unknown = badInput(file->path().string()
                                       + " is not a journal of a sweep. Choose another "
                                         "file.");
        auto record = file->next(0);
        if (!record)
            return unknown;
        std::int64_t end = 0;
        try {
            sweep = sweepFrom(record->second);
            do {
                end = record->first.offset + record->first.length;
                record = file->next(end);
                if (record)
                    places[record->second.at("block").get<std::size_t>()] = record->first;
            } while (record);
        } catch (const JsonValue::exception &) {
            return unknown;
        }
        const bool known
            = std::ranges::all_of(places, [&](const auto &one) { return one.first < sweep.blocks.size(); });
        return known ? Result<std::int64_t>(end) : unknown;
    }

    /// The journals of one sweep, to be read.
    static Result<std::vector<std::unique_ptr<SweepJournal>>> openParts(const std::vector<std::filesystem::path> &files)
    {
        std::vector<std::unique_ptr<SweepJournal>> parts;
        for (const auto &file : files) {
            auto opened = RecordFile::open(file, O_RDONLY);
            if (!opened.isOk())
                return opened.error();
            auto impl = std::make_unique<Impl>();
            impl->file = std::move(opened).value();
            if (const auto end = impl->scan(); !end.isOk())
                return end.error();
            if (!parts.empty() && impl->sweep != parts.front()->m_impl->sweep)
                return badInput(
                    fmt::format("{} and {} are not parts of one sweep: model, data, options or blocks differ.",
                                files.front().string(), file.string()));
            parts.push_back(std::unique_ptr<SweepJournal>(new SweepJournal(std::move(impl))));
        }
        if (parts.empty())
            return usageError("There are no journals to join.");
        return parts;
    }
};

namespace {

/// A block as those of the parts have it that have it at all, with equal numbers.
Result<std::optional<JsonValue>> blockIn(const std::vector<std::unique_ptr<SweepJournal>> &parts, std::size_t block)
{
    std::optional<JsonValue> content;
    std::string from;
    for (const auto &part : parts) {
        if (!part->has(block))
            continue;
        auto read = part->read(block);
        if (!read.isOk())
            return read.error();
        JsonValue value = toJson(block, read.value());
        if (content && content->at("variants") != value.at("variants"))
            return badInput(fmt::format("{} and {} both have block {}, with different numbers.", from,
                                        part->file().string(), block + 1));
        content = std::move(value);
        from = part->file().string();
    }
    return content;
}

} // namespace

SweepJournal::SweepJournal(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) { }

SweepJournal::~SweepJournal() = default;

Result<std::unique_ptr<SweepJournal>> SweepJournal::open(const std::filesystem::path &file, const SweepIdentity &sweep)
{
    auto opened = RecordFile::open(file, O_RDWR | O_CREAT);
    if (!opened.isOk())
        return opened.error();
    auto impl = std::make_unique<Impl>();
    impl->file = std::move(opened).value();
    if (impl->file->size() == 0) {
        impl->sweep = sweep;
        if (const auto begun = impl->file->append(toJson(sweep)); !begun.isOk())
            return begun.error();
    } else {
        const auto end = impl->scan();
        if (!end.isOk())
            return end.error();
        const auto sum = [](const std::vector<std::int64_t> &blocks) {
            return std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
        };
        if (impl->sweep.key != sweep.key || impl->sweep.variants != sweep.variants
            || sum(impl->sweep.blocks) != sum(sweep.blocks))
            return badInput(file.string()
                            + " is the journal of another sweep: of another model, other data or other options. "
                              "Choose another file.");
        if (const auto cut = impl->file->cutTo(end.value()); !cut.isOk())
            return cut.error();
    }
    return std::unique_ptr<SweepJournal>(new SweepJournal(std::move(impl)));
}

bool SweepJournal::isInUse(const std::filesystem::path &file)
{
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    const bool taken = flock(descriptor, LOCK_EX | LOCK_NB) != 0;
    close(descriptor);
    return taken;
}

const std::filesystem::path &SweepJournal::file() const
{
    return m_impl->file->path();
}

const std::vector<std::int64_t> &SweepJournal::blocks() const
{
    return m_impl->sweep.blocks;
}

bool SweepJournal::has(std::size_t block) const
{
    return m_impl->places.contains(block);
}

Result<SweptBlock> SweepJournal::read(std::size_t block) const
{
    const auto content = m_impl->file->read(m_impl->places.at(block));
    const auto value = parseJson(content.value_or(std::string()), file().string());
    try {
        SweptBlock read = blockFrom(value.isOk() ? value.value() : JsonValue());
        if (isSound(read, blocks().at(block), m_impl->sweep.variants))
            return read;
    } catch (const JsonValue::exception &) { // treated as damaged
    }
    return badInput(fmt::format("{}: block {} is damaged. Start with a new file.", file().string(), block + 1));
}

Result<Done> SweepJournal::append(std::size_t block, const SweptBlock &content)
{
    const auto isFinite = [](const std::vector<double> &values) {
        return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
    };
    if (!isFinite(content.baseline) || !std::ranges::all_of(content.variants, isFinite, &SweptBlock::Changes::values))
        return Done{}; // JSON has no such numbers: computed again
    const auto place = m_impl->file->append(toJson(block, content));
    if (!place.isOk())
        return place.error();
    m_impl->places[block] = place.value();
    return Done{};
}

Result<Done> SweepJournal::join(const std::vector<std::filesystem::path> &files, const std::filesystem::path &joined)
{
    const auto parts = Impl::openParts(files);
    if (!parts.isOk())
        return parts.error();
    auto opened = RecordFile::open(joined, O_RDWR | O_CREAT | O_EXCL);
    if (!opened.isOk())
        return opened.error();
    const auto whole = std::move(opened).value();
    const SweepIdentity &sweep = parts.value().front()->m_impl->sweep;
    const auto write = [&]() -> Result<Done> {
        if (const auto begun = whole->append(toJson(sweep)); !begun.isOk())
            return begun.error();
        std::vector<std::size_t> missing;
        for (std::size_t block = 0; block < sweep.blocks.size(); ++block) {
            const auto content = blockIn(parts.value(), block);
            if (!content.isOk())
                return content.error();
            if (!content.value()) {
                missing.push_back(block + 1);
                continue;
            }
            if (const auto written = whole->append(*content.value()); !written.isOk())
                return written.error();
        }
        if (!missing.empty())
            return badInput(fmt::format("Missing blocks: {} of {} ({}). Complete the shards that compute them.",
                                        missing.size(), sweep.blocks.size(), fmt::join(missing, ", ")));
        return Done{};
    };
    auto written = write();
    if (!written.isOk()) {
        std::error_code ignored;
        std::filesystem::remove(joined, ignored);
    }
    return written;
}

} // namespace headscope
