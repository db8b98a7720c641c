#include "ui/exporting/exportdialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr double kMmPerPixel = 25.4 / 96;
constexpr QSize kLeastPreview(220, 170); // a small screen has room for the dialog
constexpr QSize kUsual(860, 420);
constexpr int kLeastName = 24; ///< letters of a view's name

} // namespace

ExportDialog::ExportDialog(QList<ExportItem> items, const QString &folder, QWidget *parent)
    : QDialog(parent), m_items(std::move(items)), m_folder(folder)
{
    setWindowTitle(tr("Export"));
    setupUi();
    onItemChanged();
    onFormatChanged();
}

/// What is exported, how, and where to.
QLayout *ExportDialog::makeForm()
{
    m_item = new QComboBox(this);
    for (const ExportItem &item : m_items)
        m_item->addItem(item.name);
    m_item->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon); // names are of any length
    m_item->setMinimumContentsLength(kLeastName);
    m_format = new QComboBox(this);
    m_format->addItems({tr("PNG picture"), tr("SVG vector picture"), tr("PDF page"), tr("CSV table"), tr("HTML page"),
                        tr("JSON table"), tr("LaTeX table")});
    m_dpi = new QSpinBox(this);
    m_dpi->setRange(36, 1200);
    m_dpi->setValue(200);
    m_dpi->setSuffix(tr(" dpi"));
    m_caption = new QCheckBox(tr("Print the &caption under the picture"), this);
    m_caption->setChecked(true);
    m_manifest = new QCheckBox(tr("Write a &manifest beside it: model, data, settings, versions"), this);
    m_manifest->setChecked(true);
    auto *form = new QFormLayout;
    form->addRow(tr("&View"), m_item);
    form->addRow(tr("&Format"), m_format);
    form->addRow(tr("&Size"), makeSizeRow());
    form->addRow(tr("&Resolution"), m_dpi);
    form->addRow(QString(), m_caption);
    form->addRow(QString(), m_manifest);
    form->addRow(tr("F&ile"), makeFileRow());
    return form;
}

void ExportDialog::setupUi()
{
    QLayout *form = makeForm();
    m_preview = new QLabel(this);
    m_preview->setTextFormat(Qt::PlainText);
    m_preview->setMinimumSize(kLeastPreview);
    m_preview->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored); // whatever it shows
    m_preview->setAlignment(Qt::AlignCenter);
    m_preview->setFrameShape(QFrame::StyledPanel);
    m_preview->setAccessibleName(tr("Preview"));
    m_error = new QLabel(this);
    m_error->setTextFormat(Qt::PlainText);
    m_error->setWordWrap(true);
    m_error->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_error->setVisible(false);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    m_save = buttons->button(QDialogButtonBox::Save);
    auto *copy = buttons->addButton(tr("Cop&y"), QDialogButtonBox::ActionRole);
    copy->setToolTip(tr("Puts the picture and its table on the clipboard"));
    auto *columns = new QHBoxLayout;
    columns->addLayout(form, 1);
    columns->addWidget(m_preview, 1);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(columns, 1);
    layout->addWidget(m_error);
    layout->addWidget(buttons);

    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(copy, &QPushButton::clicked, this, [this] { copyToClipboard(item()); });
    connect(m_path, &QLineEdit::textChanged, this, [this] { showError({}); });
    connect(m_item, &QComboBox::currentIndexChanged, this, &ExportDialog::onItemChanged);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::onFormatChanged);
    connect(m_caption, &QCheckBox::toggled, this, &ExportDialog::refreshPreview);
    connect(m_dpi, &QSpinBox::valueChanged, this, &ExportDialog::refreshPreview);
    connect(m_width, &QDoubleSpinBox::valueChanged, this, &ExportDialog::keepRatio);
    connect(m_height, &QDoubleSpinBox::valueChanged, this, &ExportDialog::refreshPreview);
    resize(kUsual.expandedTo(minimumSizeHint()));
}

QWidget *ExportDialog::makeSizeRow()
{
    auto *row = new QWidget(this);
    m_width = new QDoubleSpinBox(row);
    m_height = new QDoubleSpinBox(row);
    for (QDoubleSpinBox *box : {m_width, m_height}) {
        box->setRange(20, 2000);
        box->setDecimals(0);
        box->setSuffix(tr(" mm"));
    }
    m_width->setAccessibleName(tr("Width"));
    m_height->setAccessibleName(tr("Height"));
    m_pixels = new QLabel(row);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    layout->addWidget(m_width);
    layout->addWidget(new QLabel(u"×"_s, row));
    layout->addWidget(m_height);
    layout->addWidget(m_pixels, 1);
    return row;
}

QWidget *ExportDialog::makeFileRow()
{
    auto *row = new QWidget(this);
    m_path = new QLineEdit(row);
    m_path->setMinimumWidth(200);
    m_path->setAccessibleName(tr("File"));
    auto *button = new QPushButton(tr("&Browse…"), row);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    layout->addWidget(m_path, 1);
    layout->addWidget(button);
    row->setFocusProxy(m_path);
    connect(button, &QPushButton::clicked, this, &ExportDialog::browse);
    return row;
}

const ExportItem &ExportDialog::item() const
{
    return m_items.at(std::max(m_item->currentIndex(), 0));
}

ExportOptions ExportDialog::options() const
{
    return {.format = kAllExportFormats[m_format->currentIndex()],
            .dpi = m_dpi->value(),
            .size = QSizeF(m_width->value(), m_height->value()) / kMmPerPixel,
            .withCaption = m_caption->isChecked(),
            .withManifest = m_manifest->isChecked()};
}

QString ExportDialog::path() const
{
    return withSuffix(m_path->text().trimmed(), options().format);
}

void ExportDialog::setPath(const QString &path)
{
    m_path->setText(path);
}

void ExportDialog::setFormat(ExportFormat format)
{
    m_format->setCurrentIndex(static_cast<int>(format));
}

QString ExportDialog::errorText() const
{
    return m_error->isHidden() ? QString() : m_error->text();
}

void ExportDialog::onItemChanged()
{
    const QSignalBlocker blockWidth(m_width);
    const QSignalBlocker blockHeight(m_height);
    m_item->setToolTip(item().name); // it may be cut
    m_width->setValue(item().size.width() * kMmPerPixel);
    m_height->setValue(item().size.height() * kMmPerPixel);
    m_path->setText(QDir(m_folder).filePath(fileNameFor(item()) + u'.' + suffixOf(options().format)));
    refreshPreview();
}

void ExportDialog::onFormatChanged()
{
    const ExportFormat format = options().format;
    m_path->setText(path());
    m_dpi->setEnabled(format == ExportFormat::Png);
    for (QWidget *widget : std::initializer_list<QWidget *>{m_width, m_height, m_caption})
        widget->setEnabled(!isTable(format));
    refreshPreview();
}

void ExportDialog::keepRatio()
{
    const QSizeF size = item().size;
    m_height->setValue(m_width->value() * size.height() / size.width());
    refreshPreview();
}

void ExportDialog::browse()
{
    const QString chosen = QFileDialog::getSaveFileName(this, tr("Export to"), path(), QString(), nullptr,
                                                        QFileDialog::DontConfirmOverwrite);
    if (!chosen.isEmpty())
        m_path->setText(withSuffix(chosen, options().format));
}

void ExportDialog::refreshPreview()
{
    ExportOptions shown = options();
    m_pixels->clear();
    if (isTable(shown.format)) {
        const Result<QByteArray> table = exportedBytes(item(), shown);
        m_preview->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        m_preview->setText(table.isOk() ? QString::fromUtf8(table.value()).section(u'\n', 0, 16)
                                        : QString::fromStdString(table.error().message));
        return;
    }
    if (shown.format == ExportFormat::Png) {
        const QLocale locale;
        const QSizeF pixels = shown.size * shown.dpi / 96;
        m_pixels->setText(tr("= %1 × %2 pixels")
                              .arg(locale.toString(qRound(pixels.width())), locale.toString(qRound(pixels.height()))));
    }
    shown.dpi = 96;
    const Result<QImage> image = renderToImage(item(), shown);
    m_preview->setAlignment(Qt::AlignCenter);
    if (image.isOk())
        m_preview->setPixmap(QPixmap::fromImage(
            image.value().scaled(m_preview->size() - QSize(8, 8), Qt::KeepAspectRatio, Qt::SmoothTransformation)));
    else
        m_preview->setText(QString::fromStdString(image.error().message));
}

void ExportDialog::resizeEvent(QResizeEvent *event)
{
    QDialog::resizeEvent(event);
    refreshPreview();
}

/// Empty: the error is gone.
void ExportDialog::showError(const QString &text)
{
    m_error->setText(text);
    m_error->setVisible(!text.isEmpty());
    m_toReplace.clear();
    m_save->setText(tr("&Save"));
}

void ExportDialog::accept()
{
    const QString file = path();
    if (QFileInfo::exists(file) && m_toReplace != file) {
        showError(tr("%1 is there already. Press Replace to write over it, or choose another name.")
                      .arg(QDir::toNativeSeparators(file)));
        m_toReplace = file;
        m_save->setText(tr("&Replace"));
        return;
    }
    const Result<Done> done = exportItem(item(), file, options());
    if (done.isError())
        return showError(QString::fromStdString(done.error().message));
    m_written = file;
    QDialog::accept();
}

} // namespace headscope
