#pragma once

#include "core/analysis/headtokensspec.h"
#include "core/analysis/weightsspec.h"
#include "ui/charts/weightseries.h"
#include "ui/models/headgridmodel.h"
#include "ui/pages/page.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTableView;
class QTabWidget;

namespace headscope {

class ErrorLabel;
class HeadGridView;
class LineChart;
class MatrixChart;
class RankedTokensModel;

/// What do the weights of heads say by themselves? No data are needed. A measure of every head as a grid, with lines
/// between heads that compose more than random matrices; of the selected head its eigenvalues in the complex plane,
/// singular values, what it writes for a token and which keys it matches, and singular directions; composition of all
/// pairs as a matrix.
class WeightsPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WeightsPage)
public:
    WeightsPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    HeadGridView &grid() { return *m_grid; }
    LineChart &eigenvalues() { return *m_eigenvalues; }
    LineChart &singularValues() { return *m_singular; }
    MatrixChart &matrix() { return *m_matrix; }
    QTabWidget &tabs() { return *m_tabs; }
    QComboBox &measureBox() { return *m_measure; }
    QComboBox &circuitBox() { return *m_circuit; }
    QComboBox &pairsBox() { return *m_pairs; }
    QLineEdit &tokenEdit() { return *m_token; }
    RankedTokensModel &effects() { return *m_effects; }
    RankedTokensModel &directions() { return *m_directions; }
    QPushButton &computeButton() { return *m_compute; }

    std::vector<StudyController::Request> missing(Domain domain, bool shown) override;

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    QWidget *makeTop();
    QWidget *makeNumbersTab();
    QWidget *makeTokensTab();
    QWidget *makePairsTab();
    void connectAll();

    void refreshGrid();
    void refreshHead();
    void refreshTokens();
    void refreshPieces(const HeadTokens *shown);
    void refreshEffects(const HeadTokens *shown);
    void refreshDirections(const HeadTokens *shown);
    void refreshPairs();
    void refreshTexts();
    void lookUp();
    void askForTokens();

    std::shared_ptr<const WeightsResult> result() const;
    /// The selected head, or the one that copies most while none is; nothing: there are no results.
    std::optional<HeadRef> head() const;
    const HeadWeightNumbers *numbers() const;
    /// What says the tokens of the selected head, and of the token that was typed.
    HeadTokensSpec tokensSpec() const;
    std::shared_ptr<const HeadTokensResult> tokensResult() const;
    const HeadTokens *tokens(const std::shared_ptr<const HeadTokensResult> &result) const;
    HeadCircuit circuit() const;
    PairMeasure pairs() const;
    GridContent content() const;
    QList<ExportItem> tokenItems() const;
    QString whyNot() const;
    QString headName() const;
    QString summary() const;

    HeadGridModel *m_cells = nullptr;
    RankedTokensModel *m_effects = nullptr;
    RankedTokensModel *m_directions = nullptr;
    HeadGridView *m_grid = nullptr;
    LineChart *m_eigenvalues = nullptr;
    LineChart *m_singular = nullptr;
    MatrixChart *m_matrix = nullptr;
    QTabWidget *m_tabs = nullptr;
    QComboBox *m_measure = nullptr;
    QComboBox *m_lines = nullptr;
    QComboBox *m_circuit = nullptr;
    QComboBox *m_pairs = nullptr;
    QCheckBox *m_ofVocabulary = nullptr;
    QLineEdit *m_token = nullptr;
    QComboBox *m_piece = nullptr;
    QPushButton *m_look = nullptr;
    QLabel *m_effectText = nullptr;
    QTableView *m_effectTable = nullptr;
    QComboBox *m_directionCircuit = nullptr;
    QSpinBox *m_direction = nullptr;
    QLabel *m_directionText = nullptr;
    QTableView *m_directionTable = nullptr;
    QPushButton *m_compute = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_note = nullptr;
    ErrorLabel *m_error = nullptr;
    QString m_asked;                                   ///< the token that was looked up
    std::pair<std::optional<HeadRef>, QString> m_last; ///< that tokens were asked for: once, also where it fails
};

} // namespace headscope
