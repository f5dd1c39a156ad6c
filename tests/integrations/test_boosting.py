"""Early stopping of the real libraries stops where a loop by hand does."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from ir_measures_graded import GradedError, array_mean
from ir_measures_graded.integrations.boosting import (
    catboost_metric,
    lightgbm_metric,
    xgboost_metric,
)
from ir_measures_graded.integrations.scikit_learn import scorer

NAN = float("nan")
LARGER, SMALLER = "nDCG_JK(b=3,gains=1:1,2:10)@5", "ASL"
PATIENCE, ROUNDS = 4, 60
pytestmark = pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")


def made(seed, count):
    """Features, labels, group sizes, and the group id of each document."""
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 25, count)
    features = random.normal(size=(sizes.sum(), 4))
    labels = (
        features[:, 0] + features[:, 1] * features[:, 2] + 1.5 * random.normal(size=sizes.sum())
    )
    return features, np.clip(np.round(labels), 0, 4), sizes, np.repeat(np.arange(count), sizes)


TRAIN, VALID = made(1, 40), made(2, 20)


def by_hand(predictions, measure):
    """The values of the rounds down to the one that stops, and the number of the best round."""
    values = []
    for scores in predictions:
        values.append(array_mean(measure, VALID[1], scores, VALID[2]))
        best = int(np.argmin(values) if measure == SMALLER else np.argmax(values))
        if len(values) - 1 - best == PATIENCE:
            return values, best
    raise AssertionError("the data must stop the training")


LIGHTGBM = {"metric": "None", "num_leaves": 7, "learning_rate": 0.2, "seed": 1, "verbose": -1}


@pytest.mark.parametrize("measure", [LARGER, SMALLER])
def test_lightgbm_stops_as_a_loop_by_hand(measure):
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    settings = {"objective": "lambdarank", "num_threads": 1, **LIGHTGBM}
    train = lightgbm.Dataset(TRAIN[0], TRAIN[1], group=TRAIN[2])
    full = lightgbm.train(settings, train, ROUNDS)
    scores = (full.predict(VALID[0], num_iteration=number) for number in range(1, ROUNDS + 1))
    values, best = by_hand(scores, measure)

    log = {}
    data = lightgbm.Dataset(VALID[0], VALID[1], group=VALID[2], reference=train)
    stop = lightgbm.early_stopping(PATIENCE, first_metric_only=True, verbose=False)
    metric = lightgbm_metric([measure, "P@3"])
    stopped = lightgbm.train(
        settings,
        train,
        ROUNDS,
        [data],
        ["valid"],
        metric,
        callbacks=[stop, lightgbm.record_evaluation(log)],
    )
    assert [*log["valid"]] == metric.names
    assert (log["valid"][metric.names[0]], stopped.best_iteration) == (values, best + 1)

    ranker = lightgbm.LGBMRanker(n_estimators=ROUNDS, n_jobs=1, **LIGHTGBM).fit(
        TRAIN[0], TRAIN[1], group=TRAIN[2], eval_set=[VALID[:2]], eval_group=[VALID[2]],
        eval_metric=metric,
        callbacks=[lightgbm.early_stopping(PATIENCE, first_metric_only=True, verbose=False)]
    )  # fmt: skip
    assert (ranker.evals_result_["valid_0"][metric.names[0]], ranker.best_iteration_) == (
        values,
        best + 1,
    )


@pytest.mark.parametrize("measure", [LARGER, SMALLER])
def test_xgboost_stops_as_a_loop_by_hand(measure):
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    settings = {"objective": "rank:ndcg", "max_depth": 3, "learning_rate": 0.3}
    train, valid = (xgboost.DMatrix(data[0], data[1], qid=data[3]) for data in (TRAIN, VALID))
    full = xgboost.train(settings | {"nthread": 1}, train, ROUNDS)
    scores = [full.predict(valid, iteration_range=(0, number)) for number in range(1, ROUNDS + 1)]
    values, best = by_hand(scores, measure)

    log = {}
    metric = xgboost_metric([measure, "P@3"])
    stopped = xgboost.train(
        settings | {"nthread": 1}, train, ROUNDS, evals=[(train, "train"), (valid, "valid")],
        custom_metric=metric, callbacks=[metric.early_stopping(PATIENCE, data_name="valid")],
        evals_result=log, verbose_eval=False
    )  # fmt: skip
    assert [*log["valid"]][-2:] == metric.names
    assert log["valid"][metric.names[0]] == pytest.approx(
        values, abs=6e-7
    )  # XGBoost's text has 6 decimals
    assert stopped.best_iteration == best


@pytest.mark.parametrize("measure", [LARGER, SMALLER])
def test_catboost_stops_as_a_loop_by_hand(measure):
    catboost = pytest.importorskip("catboost", reason="CatBoost is not installed")
    pools = [catboost.Pool(data[0], data[1], group_id=data[3]) for data in (TRAIN, VALID)]
    settings = {
        "loss_function": "QueryRMSE", "iterations": ROUNDS, "learning_rate": 0.3, "random_seed": 1,
        "thread_count": 1, "verbose": 0, "allow_writing_files": False,
    }  # fmt: skip
    full = catboost.CatBoost(settings).fit(pools[0])
    values, best = by_hand(full.staged_predict(pools[1]), measure)
    stopped = catboost.CatBoost(
        settings
        | {"eval_metric": catboost_metric(measure, *pools), "early_stopping_rounds": PATIENCE}
    ).fit(pools[0], eval_set=pools[1])
    log = stopped.get_evals_result()["validation"]["CatBoostMetric"]
    assert log == pytest.approx(values, abs=1e-12)  # its own scores are sums in another order
    assert stopped.get_best_iteration() == best

    for given in (
        pools[1:],
        [*pools, catboost.Pool(VALID[0], VALID[1], group_id=np.arange(VALID[1].size))],
    ):
        with pytest.raises(catboost.CatBoostError, match="CatBoost passes labels without groups"):
            catboost.CatBoost(settings | {"eval_metric": catboost_metric(measure, *given)}).fit(
                pools[0], eval_set=pools[1]
            )
    with pytest.raises(catboost.CatBoostError, match=r"in place of catboost\.cv, fit on pools"):
        catboost.cv(
            pools[0], settings | {"eval_metric": catboost_metric(measure, *pools)}, fold_count=2
        )
    with pytest.raises(
        GradedError, match=r"no pools; pass Pool objects .* use fit\(Pool\(X, y, group_id"
    ):
        catboost_metric(measure)
    with pytest.raises(GradedError, match="CatBoost takes one measure"):
        catboost_metric("P_1,5", *pools)
    with pytest.raises(GradedError, match="the data has no groups"):
        catboost_metric("P@1", catboost.Pool(*VALID[:2]))


def test_metrics_are_refused_before_the_training():
    for metric in (lightgbm_metric, xgboost_metric, catboost_metric, scorer):
        with pytest.raises(GradedError, match=r"does not compute ERR@3|a scorer needs sklearn"):
            metric("ERR@3")
    with pytest.raises(GradedError, match="the data has no groups"):
        lightgbm_metric("P@1")([1.0], [0.5], None, None)


@pytest.mark.parametrize(
    ("labels", "sizes", "mean"),
    [
        ([1, 0, 1], [0, 3], 1),
        ([1, 0, 1, 0], [2, 0, 2], 1),
        ([1, NAN, NAN, 0, 1], [1, 2, 2], 0.5),
        ([1, 0, 1], [1, 1, 1], 2 / 3),  # sizes, not ids
    ],
)
def test_metrics_leave_groups_without_judgments_out(labels, sizes, mean):
    scores = -np.arange(len(labels))
    assert lightgbm_metric("P@1")(np.array(labels), scores, None, sizes)[0][1] == mean
    if NAN not in labels:  # XGBoost refuses them
        xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
        data = xgboost.DMatrix(np.zeros((len(labels), 1)), labels)
        data.set_group(sizes)
        assert xgboost_metric("P@1")(scores, data)[0][1] == mean


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, int])
def test_labels_of_any_type_mean_their_shortest_text(dtype):
    level = 0.1 if np.dtype(dtype).kind == "f" else 16_777_217  # a float of 32 bits has no such
    metric = lightgbm_metric(f"CG(gains={level}:5)@1")  # without a remark on the level
    assert metric(np.array([0, level], dtype), [1, 2], None, [2])[0][1] == 5
    with pytest.raises(GradedError, match="the labels are of type <U1; give numbers"):
        metric(["a", "b"], [1, 2], None, [2])
    with pytest.raises(GradedError, match=r"sizes \[2\] do not fit 0 labels"):
        metric([], [1, 2], None, [2])


def test_scorer_equals_a_loop_over_the_folds():
    sklearn = pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate

    features, labels, _, ids = TRAIN
    folds = GroupKFold(4)
    with sklearn.config_context(enable_metadata_routing=True):
        scorers = {measure: scorer(measure) for measure in (LARGER, SMALLER)}
        found = cross_validate(
            Ridge(), features, labels, scoring=scorers, cv=folds, params={"groups": ids}
        )
        for measure, sign in ((LARGER, 1), (SMALLER, -1)):
            expected = [
                sign * array_mean(
                    measure, labels[test], Ridge().fit(features[rest], labels[rest]).predict(features[test]),
                    ids[test]
                )
                for rest, test in folds.split(features, labels, ids)
            ]  # fmt: skip
            assert found[f"test_{measure}"].tolist() == expected
        renamed = scorer(LARGER, groups="qid")
        search = GridSearchCV(
            Ridge(),
            {"alpha": [1e-3, 1e9]},
            scoring=renamed,
            cv=folds.set_split_request(groups="qid"),
        )
        assert (
            search.fit(features, labels, qid=ids).best_score_
            >= np.mean(found[f"test_{LARGER}"]) - 1e-3
        )
        with pytest.raises(GradedError, match="a scorer takes one measure, not 2"):
            scorer("P_1,5")
        with pytest.raises(GradedError, match="response_method='score' is not allowed"):
            scorer(LARGER, response_method="score")


def searched(model, grid, score, labels=TRAIN[1], **params):
    """The mean scores of a grid search over three folds of some groups."""
    from sklearn.model_selection import GridSearchCV, GroupKFold

    rows = TRAIN[3] < 20
    params = {name: values[rows] for name, values in params.items()}
    folds = GroupKFold(3) if params else 3
    search = GridSearchCV(model, grid, scoring=score, cv=folds, refit=False)
    return search.fit(TRAIN[0][rows], labels[rows], **params).cv_results_["mean_test_score"]


BINARY = (TRAIN[1] > 1).astype(int)
TWO = ["decision_function", "predict_proba"]


@pytest.mark.parametrize(
    ("name", "options", "labels", "expected"),
    [
        ("Ridge", {}, TRAIN[1], lambda model, X: model.predict(X)),
        ("LogisticRegression", {}, BINARY, lambda model, X: model.decision_function(X)),
        ("LogisticRegression", {}, TRAIN[1], lambda model, X: model.predict_proba(X) @ range(5)),
        ("DecisionTreeClassifier", {}, BINARY, lambda model, X: model.predict_proba(X)[:, 1]),
        ("LogisticRegression", {"response_method": "predict"}, TRAIN[1], lambda m, X: m.predict(X)),
        (
            "DecisionTreeClassifier",
            {"response_method": TWO},
            TRAIN[1],
            lambda model, X: model.predict_proba(X) @ range(5),
        ),
    ],
)
def test_a_scorer_ranks_by_the_response_of_the_model(name, options, labels, expected):
    pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    from sklearn import linear_model, tree

    kind = getattr(linear_model, name, None) or getattr(tree, name)
    model = kind(**({"max_depth": 3} if name == "DecisionTreeClassifier" else {}))
    features, ids = TRAIN[0], TRAIN[3]
    model.fit(features, labels)
    mean = array_mean("nDCG_Burges@5", labels, expected(model, features), ids=ids)
    assert scorer("nDCG_Burges@5", **options)(model, features, labels, groups=ids) == mean


def test_a_model_of_another_library_is_scored():
    pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")

    class Model:
        def predict(self, X):
            return X[:, 0]

    features, labels, _, ids = TRAIN
    mean = array_mean(LARGER, labels=labels, scores=features[:, 0], ids=ids)
    assert scorer(LARGER)(Model(), features, labels, groups=ids) == mean


def test_a_grid_search_has_no_nan_but_the_error_of_the_scorer():
    sklearn = pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier

    grid = {"alpha": [1e-3, 1e3]}
    told = r"set_config\(enable_metadata_routing=True\)\n    search\.fit\(X, y, qid=ids\)"
    for score in (scorer(LARGER, groups="qid"), {"only": scorer(LARGER, groups="qid")}):
        with pytest.raises(GradedError, match=told):
            searched(Ridge(), grid, score)
    with sklearn.config_context(enable_metadata_routing=True):
        for options, fact in (
            ({}, "RidgeClassifier has no predict_proba"),
            ({"response_method": TWO}, "has a score for each of 5 classes"),
        ):
            with pytest.raises(GradedError, match=fact):
                searched(RidgeClassifier(), grid, scorer(LARGER, **options), groups=TRAIN[3])
        found = searched(LogisticRegression(), {"C": [1, 9]}, scorer(LARGER), groups=TRAIN[3])
        assert np.isfinite(found).all()
        texts = TRAIN[1].astype(str)
        with pytest.raises(GradedError, match="the classes of LogisticRegression are no levels"):
            searched(LogisticRegression(), {"C": [1]}, scorer(LARGER), texts, groups=TRAIN[3])


def test_xgbranker_stops_by_watching_data_also_in_a_grid_search():
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    sklearn = pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    settings = {"n_estimators": ROUNDS, "max_depth": 3, "learning_rate": 0.3, "n_jobs": 1}
    plain = xgboost.XGBRanker(**settings).fit(TRAIN[0], TRAIN[1], qid=TRAIN[3])
    rounds = range(1, ROUNDS + 1)
    scores = (plain.predict(VALID[0], iteration_range=(0, number)) for number in rounds)
    values, best = by_hand(scores, LARGER)
    metric = xgboost_metric([LARGER, "P@3"])
    for groups in ({"qid": VALID[3]}, {"group": VALID[2]}):
        watch = metric.watch(*VALID[:2], **groups, rounds=PATIENCE)
        ranker = xgboost.XGBRanker(**settings, callbacks=[watch])
        ranker.fit(TRAIN[0], TRAIN[1], qid=TRAIN[3])
        log = ranker.evals_result()["watched"]
        assert ([*log], log[metric.names[0]], ranker.best_iteration) == (metric.names, values, best)
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = pickle.loads(pickle.dumps(ranker)).set_params(n_estimators=9)
        ranker.set_fit_request(qid=True)
        ids = {"groups": TRAIN[3], "qid": TRAIN[3]}
        found = searched(ranker, {"max_depth": [1, 3]}, scorer(LARGER), **ids)
    assert np.isfinite(found).all()

    with pytest.raises(GradedError, match=r"use callbacks=\[metric\.watch\(X, y, qid=ids"):
        xgboost.XGBRanker(**settings, eval_metric=metric).fit(
            *TRAIN[:2], qid=TRAIN[3], eval_set=[VALID[:2]], eval_qid=[VALID[3]]
        )
    with pytest.raises(GradedError, match="the data has no groups"):
        metric.watch(*VALID[:2], rounds=3)


def test_no_library_is_imported_before_it_is_needed():
    code = (
        "import sys, ir_measures_graded.integrations.boosting, ir_measures_graded.integrations.scikit_learn;"
        "print({'lightgbm', 'xgboost', 'catboost', 'sklearn', 'pandas'} & {*sys.modules})"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
        == "set()\n"
    )
